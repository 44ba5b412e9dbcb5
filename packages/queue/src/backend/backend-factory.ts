import { createRedisBackend, type BackendFactory } from 'bullmq';
import { FairlaneBackend } from './fairlane-backend.js';

/**
 * Last constructor argument of BullMQ's `Queue` and `Worker`. The connection must define our scripts: see
 * `connections.ts`.
 */
export const createFairlaneBackend: BackendFactory<FairlaneBackend> = (name, opts, options) => {
  const base = createRedisBackend(name, opts, options);
  // The base backend only made the connections. It stays subscribed to their errors, and an `error` event that
  // nobody listens to would be thrown.
  base.on('error', () => undefined);
  return new FairlaneBackend(
    base.connection,
    name,
    base.keys,
    (type) => base.toKey(type),
    opts,
    base.blockingConnection,
  );
};
