import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Everything the commands write lives here, ignored by git; deleting it is always safe. */
export const STATE_DIR = join(ROOT, '.fairlane');
export const LOG_DIR = join(STATE_DIR, 'logs');
export const TOOLS_DIR = join(STATE_DIR, 'tools');
