import type { Catalogue } from '@fairlane/sdk';
import { Queue, type Job, type KeyPrefixOptions, type QueueOptions } from 'bullmq';
import { fairlaneBackends } from './backend/backend-factory.js';
import { waitingConnection, type RedisSettings } from './redis/connections.js';
import { DEFAULT_PREFIX } from './defaults.js';
import { FairlaneJob } from './jobs/fairlane-job.js';
import { logErrors } from './repeated-errors.js';
import { defaultLogger, type QueueLogger } from './logging.js';

export interface OpenQueuesOptions {
  readonly redis: RedisSettings;
  readonly catalogue: Catalogue;
  /** Default `{fairlane}`. */
  readonly prefix?: string;
  readonly logger?: QueueLogger;
}

/** BullMQ's queue, listing jobs whose data cannot be parsed as well (A23). */
class FairlaneQueue extends Queue {
  protected override get Job(): typeof Job {
    return FairlaneJob as unknown as typeof Job;
  }
}

/** The declared queues as BullMQ's own objects, for Bull Board. Close each of them. */
export function openQueues(options: OpenQueuesOptions): Queue[] {
  const { redis, catalogue, prefix = DEFAULT_PREFIX, logger = defaultLogger } = options;
  const backends = fairlaneBackends(catalogue);
  return Object.keys(catalogue.queues.definitions).map((name) => {
    const opts: QueueOptions & KeyPrefixOptions = { connection: waitingConnection(redis), prefix };
    const queue = new FairlaneQueue(name, opts, backends);
    logErrors(queue, logger, name, 'queue error');
    return queue;
  });
}
