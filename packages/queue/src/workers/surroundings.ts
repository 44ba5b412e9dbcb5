import { ownKeyOfBase, type Page } from '@fairlane/lanes';
import type { Redis } from 'ioredis';
import { isEnvelope, parseJobData } from '../jobs/envelope.js';
import type { DeadLetter } from '../operations/list-dead-letters.js';
import type { AccountView } from '../views/account-view.js';
import { readServedAt, readWorkers } from './read-workers.js';
import { capacityOf, serves, type WorkerView } from './worker-view.js';

/** A queue in which jobs of an account wait, and who works there. */
export interface QueueSurroundings {
  readonly queue: string;
  /** Waiting jobs of the account there. */
  readonly waiting: number;
  readonly isPaused: boolean;
  /** Workers that take its jobs, and the jobs they can run at once. */
  readonly workers: number;
  readonly slots: number;
  /** Jobs of all accounts that run. */
  readonly active: number;
  /** When a worker last served it, ms since the epoch; null where none is known to have. */
  readonly servedAtMs: number | null;
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
  readonly queues: readonly QueueSurroundings[];
  readonly unhandled: Unhandled | null;
  /** Codes of the latest dead jobs, and how many of each; at most 100 are looked at. */
  readonly deadCodes: ReadonlyMap<string, number>;
}

export interface SurroundingsReader {
  readonly client: Redis;
  readonly prefix: string;
  readonly queues: readonly string[];
  readonly deadLetters: (account: string, limit: number) => Promise<Page<DeadLetter>>;
}

const MOST_DEAD = 100;

/** Reads what the view of an account does not say, and only what bears on it. */
export async function readSurroundings(
  view: AccountView,
  { client, prefix, queues, deadLetters }: SurroundingsReader,
): Promise<Surroundings> {
  const waiting = waitingByQueue(view);
  const putOff = view.counts.held - view.lanes.reduce((sum, { held }) => sum + held, 0);
  if (waiting.size === 0 && putOff <= 0 && view.counts.dead === 0) return NOTHING;
  const [workers, servedAt, dead] = await Promise.all([
    readWorkers(client, prefix),
    readServedAt(client, prefix),
    view.counts.dead > 0 ? deadLetters(view.account, MOST_DEAD) : { items: [] },
  ]);
  const around = [...waiting].map(async ([queue, count]): Promise<QueueSurroundings> => {
    const base = `${prefix}:${queue}:`;
    const [paused, active] = await Promise.all([
      client.hexists(`${base}meta`, 'paused'),
      client.llen(`${base}active`),
    ]);
    const { workers: workerCount, slots } = capacityOf(workers, queue);
    return {
      queue,
      waiting: count,
      isPaused: paused === 1,
      workers: workerCount,
      slots,
      active,
      servedAtMs: servedAt.get(queue) ?? null,
    };
  });
  const deadCodes = new Map<string, number>();
  for (const { code } of dead.items) deadCodes.set(code, (deadCodes.get(code) ?? 0) + 1);
  return {
    queues: await Promise.all(around),
    unhandled: putOff > 0 ? await readUnhandled(client, prefix, queues, view.account, workers) : null,
    deadCodes,
  };
}

const NOTHING: Surroundings = { queues: [], unhandled: null, deadCodes: new Map() };

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
