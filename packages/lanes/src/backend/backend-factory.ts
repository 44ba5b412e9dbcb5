import { QueueKeys, createRedisBackend, type BackendFactory, type RedisConnection } from 'bullmq';
import { laneScripts } from '../scripts/lane-scripts.js';
import { LaneBackend, type LaneBackendArguments } from './backend.js';
import { resolveOptions, type LaneBackendOptions } from './options.js';

/**
 * A backend factory, to be given as the last argument of `Queue`, `Worker`, `QueueEvents` and
 * `FlowProducer`.
 *
 * @example
 * const lanes = createLaneBackend({ groups: { email: { default: { limit: 10, perMs: 1000 } } } });
 * const queue = new Queue('outreach', { connection, prefix: '{app}' }, lanes);
 * await queue.add('send', data, { lane: { account: 'acme', group: 'email' } });
 */
export function createLaneBackend(options: LaneBackendOptions = {}): BackendFactory<LaneBackend> {
  return createBackendFactory(LaneBackend, options);
}

/** As `createLaneBackend`, for a subclass that adds to what the scripts do. */
export function createBackendFactory<B extends LaneBackend>(
  Backend: new (...args: LaneBackendArguments) => B,
  options: LaneBackendOptions = {},
): BackendFactory<B> {
  const laneOptions = resolveOptions(options);
  laneScripts();
  return (name, opts, extra) => {
    // The connections are made by BullMQ; the backend around them is not used, but its
    // connections report their errors to it too, and an error nobody listens to is thrown.
    const plain = createRedisBackend(name, opts, extra) as unknown as {
      connection: RedisConnection;
      blockingConnection?: RedisConnection;
      on(event: 'error', listener: () => void): void;
    };
    plain.on('error', () => undefined);
    const keys = new QueueKeys((opts as { prefix?: string }).prefix);
    return new Backend(
      plain.connection,
      name,
      keys.getKeys(name),
      (type: string) => keys.toKey(name, type),
      opts,
      plain.blockingConnection,
      true,
      laneOptions,
    );
  };
}
