import type { Catalogue } from '@fairlane/sdk';
import { connectProducer, type RedisSettings } from '../redis/connections.js';
import { DEFAULT_PREFIX } from '../defaults.js';
import { defaultLogger, type QueueLogger } from '../logging.js';
import { RedisSessions } from '../redis/redis-session.js';
import { valuesOf } from '../redis/replies.js';
import { readTime } from '../redis/server-clock.js';
import { MAX_NAMED, type ChangedJob, type Changes } from './changes.js';

export interface ChangeFeedOptions {
  readonly redis: RedisSettings;
  readonly catalogue: Catalogue;
  /** Default `{fairlane}`. */
  readonly prefix?: string;
  /** A call that Redis has not answered by then fails. Default 2,000. */
  readonly timeoutMs?: number;
  readonly logger?: QueueLogger;
}

/** Something people or programs have done that no job tells of. */
export type NotedChange =
  | { readonly kind: 'account' | 'operation'; readonly id: string }
  | { readonly kind: 'workers' };

export interface ChangeFeed {
  /** Now, as a place to read on from: ms since the epoch on the server's clock. */
  now(): Promise<number>;
  /** What has changed since then, and the place to read on from. A change at its very edge may be told twice. */
  since(place: number): Promise<{ readonly changes: Changes; readonly place: number }>;
  /** Tells all readers, in whichever process. Never fails: a change that could not be noted is found by reading again. */
  note(change: NotedChange): Promise<void>;
  close(): Promise<void>;
}

/** Entries of one stream that are looked at; of more the latest. */
const LOOKED_AT = 200;
/** Noted changes that are kept; more than happen in the minutes that anybody reads back. */
const KEPT_NOTES = 1_000;

type Entry = readonly [id: string, fields: readonly string[]];

/**
 * What has changed in a deployment, from the streams that BullMQ writes with every step of a job and one of our own.
 * Reading takes a round trip or two of a bounded size, however much has happened, and nothing when nobody reads.
 */
export function createChangeFeed(options: ChangeFeedOptions): ChangeFeed {
  const { catalogue, prefix = DEFAULT_PREFIX } = options;
  const client = connectProducer(options.redis, options.logger ?? defaultLogger);
  const sessions = new RedisSessions(client, options.timeoutMs ?? 2_000);
  const queues = Object.keys(catalogue.queues.definitions);
  const notes = `${prefix}::changes`;

  async function read(place: number): Promise<{ changes: Changes; place: number }> {
    const pipeline = client.pipeline().time();
    for (const key of [...queues.map((queue) => `${prefix}:${queue}:events`), notes]) {
      pipeline.xrevrange(key, '+', String(place), 'COUNT', LOOKED_AT);
    }
    const [time, ...streams] = valuesOf(await pipeline.exec()) as [[string, string], ...Entry[][]];
    const noted = streams.pop() ?? [];
    const jobs: ChangedJob[] = [];
    let more = noted.length === LOOKED_AT;
    for (const [at, queue] of queues.entries()) {
      const entries = streams[at] ?? [];
      const ids = new Set(entries.flatMap(([, fields]) => fieldOf(fields, 'jobId') ?? []));
      more ||= entries.length === LOOKED_AT || ids.size > MAX_NAMED;
      for (const id of [...ids].slice(0, MAX_NAMED)) jobs.push({ id, queue });
    }
    const named = await withAccounts(jobs.slice(0, MAX_NAMED));
    const changed = (kind: string) =>
      noted.flatMap(([, fields]) => (fields[0] === kind ? [fields[1] ?? ''] : []));
    const accounts = named.flatMap(({ account }) => account ?? []);
    return {
      place: placeOf(time),
      changes: {
        queues: queues.filter((_queue, at) => (streams[at] ?? []).length > 0),
        accounts: [...new Set([...accounts, ...changed('account')])],
        jobs: named,
        operations: [...new Set(changed('operation'))],
        workers: changed('workers').length > 0,
        more: more || jobs.length > MAX_NAMED,
      },
    };
  }

  /** The lane of a job, `group:account`, stands on its hash. */
  async function withAccounts(jobs: readonly ChangedJob[]): Promise<ChangedJob[]> {
    if (jobs.length === 0) return [];
    const pipeline = client.pipeline();
    for (const { id, queue } of jobs) pipeline.hget(`${prefix}:${queue}:${id}`, 'ln');
    const lanes = valuesOf(await pipeline.exec()) as (string | null)[];
    return jobs.map((job, at) => {
      const lane = lanes[at] ?? '';
      const account = lane.slice(lane.indexOf(':') + 1);
      return account === '' ? job : { ...job, account };
    });
  }

  return {
    // Asked, not reckoned: a place that is ahead of the server's clock by a little would miss what happens until then.
    now: () => sessions.run(async () => placeOf(await client.time())),
    since: (place) => sessions.run(() => read(place)),
    async note(change) {
      const id = 'id' in change ? change.id : '';
      await sessions
        .run(() => client.xadd(notes, 'MAXLEN', '~', KEPT_NOTES, '*', change.kind, id))
        .catch(() => undefined);
    },
    close: () => sessions.close(),
  };
}

/** From the answer of `TIME`. */
function placeOf(time: readonly (string | number)[]): number {
  return Math.floor(readTime(time));
}

function fieldOf(fields: readonly string[], name: string): string | undefined {
  const at = fields.indexOf(name);
  return at >= 0 && at % 2 === 0 ? fields[at + 1] : undefined;
}
