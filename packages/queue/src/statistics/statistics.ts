import { createLanes } from '@fairlane/lanes';
import type { Catalogue } from '@fairlane/sdk';
import { openBackends } from '../backend/open-backends.js';
import { connectProducer, type RedisSettings } from '../redis/connections.js';
import { DEFAULT_PREFIX } from '../defaults.js';
import { defaultLogger, type QueueLogger } from '../logging.js';
import { RedisSessions } from '../redis/redis-session.js';
import type { Figures } from './figures.js';
import { MinuteReader, type MinuteFigures } from './minute-reader.js';
import { Surveyor, type QueueState } from './surveyor.js';

export interface StatisticsOptions {
  readonly redis: RedisSettings;
  readonly catalogue: Catalogue;
  /** Default `{fairlane}`. */
  readonly prefix?: string;
  /** A call that Redis has not answered by then fails. Default 2,000. */
  readonly timeoutMs?: number;
  /** How old what is told of queues may get. Default 10,000. */
  readonly surveyEveryMs?: number;
  readonly logger?: QueueLogger;
}

export interface RedisMemory {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/**
 * What all processes together have counted, and how the queues stand. Of any number of processes that have this open one
 * at a time looks at the queues, and all of them tell the same.
 */
export interface Statistics {
  /** Of the last 60 seconds and the last 60 minutes, up to now: ms since the epoch on the server's clock. */
  figures(
    queue: string,
  ): Promise<{ readonly minute: Figures; readonly hour: Figures; readonly nowMs: number }>;
  /** The last minutes (at most 61), the oldest first; the last one is not over yet. */
  series(queue: string, minutes: number): Promise<MinuteFigures[]>;
  /** How the declared queues stood at the last look. A queue nobody has looked at yet is left out. */
  states(): Promise<ReadonlyMap<string, QueueState>>;
  /** Memory of Redis: used, and what it may use (`maxmemory`, else what the machine has). */
  memory(): Promise<RedisMemory>;
  close(): Promise<void>;
}

/** Opens the statistics of a prefix on a connection of their own, and takes turns at looking at the queues. */
export function createStatistics(options: StatisticsOptions): Statistics {
  const { catalogue, prefix = DEFAULT_PREFIX, logger = defaultLogger } = options;
  const client = connectProducer(options.redis, logger);
  const sessions = new RedisSessions(client, options.timeoutMs ?? 2_000);
  const { queues, first } = openBackends(client, prefix, catalogue);
  const lanes = createLanes({ connection: client, prefix });
  const minutes = new MinuteReader(client, prefix);
  const everyMs = options.surveyEveryMs ?? 10_000;
  const surveyor = new Surveyor({
    client,
    commands: () => first.client,
    lanes,
    prefix,
    queues,
    everyMs,
    logger,
  });
  surveyor.start();
  return {
    figures: (queue) =>
      sessions.run(async ({ nowMs }) => ({ ...(await minutes.figures(queue, nowMs)), nowMs })),
    series: (queue, count) => sessions.run(({ nowMs }) => minutes.series(queue, count, nowMs)),
    states: () => sessions.run(() => surveyor.states()),
    memory: () => sessions.run(async () => readMemory(await client.info('memory'))),
    async close() {
      surveyor.stop();
      await sessions.close();
      await surveyor.ended();
    },
  };
}

function readMemory(info: string): RedisMemory {
  const field = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return { usedBytes: field('used_memory'), limitBytes: field('maxmemory') || field('total_system_memory') };
}
