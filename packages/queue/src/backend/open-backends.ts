import type { Catalogue } from '@fairlane/sdk';
import type { KeyPrefixOptions, QueueBaseOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { fairlaneBackends } from './backend-factory.js';
import type { FairlaneBackend } from './fairlane-backend.js';

export interface Backends {
  /** @throws RangeError for a queue that is not declared. */
  readonly backendOf: (queue: string) => FairlaneBackend;
  readonly isDeclared: (queue: string) => boolean;
  /** The declared queues. */
  readonly queues: readonly string[];
  /** Any of them, for what belongs to no queue. */
  readonly first: FairlaneBackend;
}

/** Backends of the declared queues on one connection, which stays the caller's. */
export function openBackends(client: Redis, prefix: string, catalogue: Catalogue): Backends {
  const queues = Object.keys(catalogue.queues.definitions);
  const [name, ...others] = queues;
  if (name === undefined) throw new Error('a catalogue declares at least one queue');
  // The version check would be one more command at the start, whose failure BullMQ keeps for good.
  const opts: QueueBaseOptions & KeyPrefixOptions = { connection: client, prefix, skipVersionCheck: true };
  const first = fairlaneBackends(catalogue)(name, opts);
  first.on('error', () => undefined);
  // Commands may be sent as soon as the connection is ready, before BullMQ has noticed.
  first.defineCommands(client);
  const byName = new Map([[name, first]]);
  for (const other of others) byName.set(other, first.forQueue(other));
  return {
    queues,
    first,
    isDeclared: (queue) => byName.has(queue),
    backendOf(queue) {
      const found = byName.get(queue);
      if (found === undefined) throw new RangeError(`queue ${queue} is not declared`);
      return found;
    },
  };
}
