import type { QueueLogger } from '../../src/index.js';

const nothing = () => undefined;

export const silentLogger: QueueLogger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
