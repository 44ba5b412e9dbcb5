import { ownKeyOfBase } from '@fairlane/lanes';
import type { Redis } from 'ioredis';
import { isEnvelope, parseJobData } from '../jobs/envelope.js';
import { readTime } from '../redis/server-clock.js';
import type { AccountView } from '../views/account-view.js';
import { readServedAt, readWorkers } from './read-workers.js';
import { NONE_RETRYING, readRetrying, type Retrying } from './read-retrying.js';
import { capacityOf, serves, type WorkerView } from './worker-view.js';

/** A queue, and who works there. */
interface QueueState {
  readonly queue: string;
  readonly isPaused: boolean;
  /** Workers that take its jobs, and the jobs they can run at once. */
  readonly workers: number;
  readonly slots: number;
  /** Jobs of all accounts that run. */
  readonly active: number;
  /** When a worker last served it, ms since the epoch; null where none is known to have. */
  readonly servedAtMs: number | null;
}

/** A queue in which jobs of an account wait. */
export interface QueueSurroundings extends QueueState {
  /** Waiting jobs of the account there. */
  readonly waiting: number;
}

/** Jobs that a worker took and put off, since it has no handler for them. */
export interface Unhandled {
  readonly waiting: number;
  /** One of them. */
  readonly name: string;
  readonly version: number;
  /** Workers of its queue that could run it. */
  readonly able: number;
}

/** What an account's jobs depend on besides the account. */
export interface Surroundings {
  /** When they were read, ms since the epoch on the clock that opens gates: Redis'. */
  readonly nowMs: number;
  readonly queues: readonly QueueSurroundings[];
  readonly unhandled: Unhandled | null;
  readonly retrying: Retrying;
  /** Codes of the latest dead jobs, and how many of each; at most 100 are looked at. */
  readonly deadCodes: ReadonlyMap<string, number>;
}

export interface SurroundingsReader {
  readonly client: Redis;
  readonly prefix: string;
  readonly queues: readonly string[];
  /** Codes of the latest dead jobs of an account. */
  readonly deadCodes: (account: string, limit: number) => Promise<readonly string[]>;
}

const MOST_DEAD = 100;

/**
 * Reads what the views of accounts do not say, and only what bears on them. What accounts share is read once for all of
 * them, the rest at once: a page of accounts takes as many round trips as one.
 */
export async function readSurroundings<const V extends readonly AccountView[]>(
  views: V,
  reader: SurroundingsReader,
): Promise<{ readonly [K in keyof V]: Surroundings }> {
  const { client, prefix, queues, deadCodes } = reader;
  const needs = views.map((view) => {
    const putOff = view.counts.held - view.lanes.reduce((sum, { held }) => sum + held, 0);
    return { view, waiting: waitingByQueue(view), putOff };
  });
  const waitedIn = [...new Set(needs.flatMap(({ waiting }) => [...waiting.keys()]))];
  const hasToLook = waitedIn.length > 0 || needs.some(({ putOff }) => putOff > 0);
  const [time, workers] = await Promise.all([client.time(), hasToLook ? readWorkers(client, prefix) : []]);
  const nowMs = Math.floor(readTime(time));
  const states = new Map(
    (await readQueueStates(waitedIn, workers, reader)).map((state) => [state.queue, state]),
  );
  const each = await Promise.all(
    needs.map(async ({ view, waiting, putOff }): Promise<Surroundings> => {
      const [codes, unhandled, retrying] = await Promise.all([
        view.counts.dead > 0 ? deadCodes(view.account, MOST_DEAD) : [],
        putOff > 0 ? readUnhandled(client, prefix, queues, view.account, workers) : null,
        view.counts.retrying > 0 ? readRetrying(client, prefix, queues, view.account) : NONE_RETRYING,
      ]);
      return {
        nowMs,
        queues: [...waiting].flatMap(([queue, count]) => {
          const state = states.get(queue);
          return state === undefined ? [] : [{ ...state, waiting: count }];
        }),
        unhandled,
        retrying,
        deadCodes: countEach(codes),
      };
    }),
  );
  return each as { readonly [K in keyof V]: Surroundings };
}

async function readQueueStates(
  queues: readonly string[],
  workers: readonly WorkerView[],
  { client, prefix }: SurroundingsReader,
): Promise<QueueState[]> {
  if (queues.length === 0) return [];
  const served = readServedAt(client, prefix);
  return Promise.all(
    queues.map(async (queue) => {
      const base = `${prefix}:${queue}:`;
      const [paused, active, servedAt] = await Promise.all([
        client.hexists(`${base}meta`, 'paused'),
        client.llen(`${base}active`),
        served,
      ]);
      const { workers: workerCount, slots } = capacityOf(workers, queue);
      const servedAtMs = servedAt.get(queue) ?? null;
      return { queue, isPaused: paused === 1, workers: workerCount, slots, active, servedAtMs };
    }),
  );
}

function countEach(codes: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

function waitingByQueue({ lanes }: AccountView): ReadonlyMap<string, number> {
  const waiting = new Map<string, number>();
  for (const { queue, ready, held } of lanes) {
    if (ready + held > 0) waiting.set(queue, (waiting.get(queue) ?? 0) + ready + held);
  }
  return waiting;
}

/** The index of started jobs marks those that their worker put off with a 1. */
async function readUnhandled(
  client: Redis,
  prefix: string,
  queues: readonly string[],
  account: string,
  workers: readonly WorkerView[],
): Promise<Unhandled | null> {
  let total = 0;
  let found: Omit<Unhandled, 'waiting'> | undefined;
  for (const queue of queues) {
    const base = `${prefix}:${queue}:`;
    const index = `${ownKeyOfBase(base)}:x:r:${account}`;
    const [count, ids] = await Promise.all([
      client.zcount(index, 1, 1),
      client.zrangebyscore(index, 1, 1, 'LIMIT', 0, 1),
    ]);
    const [id] = ids;
    if (id === undefined) continue;
    const [name, data, reason] = await client.hmget(base + id, 'name', 'data', 'hr');
    if (reason !== 'no_handler' || !name) continue;
    const stored = parseJobData(data ?? '')?.value;
    const version = isEnvelope(stored) ? stored.v : 0;
    const able = workers.filter(
      (worker) => serves(worker, queue) && (worker.handles[name] ?? -1) >= version,
    ).length;
    total += count;
    found = { name, version, able };
  }
  return found === undefined ? null : { ...found, waiting: total };
}
