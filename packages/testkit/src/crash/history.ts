import { setTimeout as delay } from 'node:timers/promises';

import { Redis } from 'ioredis';

/**
 * A step in the life of a job. `admitted`: handed to a worker, which holds it from then on. `returned`: taken from a
 * worker without an end. `lost`: the worker was lost, follows its `returned`. `ended`: completed or dead.
 */
export type Step = 'admitted' | 'returned' | 'lost' | 'ended';

export interface Transition {
  /** On the clock of the Redis server, ms since the epoch. */
  readonly atMs: number;
  readonly step: Step;
  readonly jobId: string;
}

export interface HistoryRecorder {
  /** What happened so far, in order. */
  readonly transitions: readonly Transition[];
  /** Reads what is left and closes. */
  stop(): Promise<readonly Transition[]>;
}

const POLL_MS = 50;
const BATCH = 5_000;

/**
 * Follows a queue by the events that BullMQ writes in the same script as each step, so the order is the true one and
 * the clock the server's. Survives restarts of the server: it goes on behind the last event that it has.
 */
export function recordHistory(options: { redisUrl: string; prefix: string; queue: string }): HistoryRecorder {
  const client = new Redis(options.redisUrl, { retryStrategy: () => 100, maxRetriesPerRequest: null });
  // The server is killed on purpose.
  client.on('error', () => undefined);
  const stream = `${options.prefix}:${options.queue}:events`;
  const transitions: Transition[] = [];
  const held = new Set<string>();
  let lastId = '0';
  let stopping = false;

  const readOn = async (): Promise<number> => {
    const [found] = (await client.xread('COUNT', BATCH, 'STREAMS', stream, lastId)) ?? [];
    const entries = found?.[1] ?? [];
    for (const [id, fields] of entries) {
      lastId = id;
      transitions.push(...toTransitions(id, fields, held));
    }
    return entries.length;
  };
  const follow = async () => {
    for (;;) {
      // Asked before reading: what is written until the stop is read.
      const isLast = stopping;
      const count = await readOn();
      if (count === BATCH) continue;
      if (isLast) return;
      await delay(POLL_MS);
    }
  };
  const following = follow();
  following.catch(() => undefined);

  return {
    transitions,
    async stop() {
      stopping = true;
      await following;
      client.disconnect();
      return transitions;
    },
  };
}

/** @param held ids of the jobs that a worker has; kept up to date. */
function toTransitions(id: string, fields: readonly string[], held: Set<string>): Transition[] {
  const entry = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) entry.set(fields[at] ?? '', fields[at + 1] ?? '');
  const jobId = entry.get('jobId') ?? '';
  const step = stepOf(entry.get('event') ?? '');
  if (step === undefined) return [];
  // "waiting" and "delayed" also tell of jobs that no worker had.
  if (step === 'returned' && !held.has(jobId)) return [];
  if (step === 'admitted') held.add(jobId);
  else held.delete(jobId);
  return [{ atMs: Number(id.split('-')[0]), step, jobId }];
}

function stepOf(event: string): Step | undefined {
  switch (event) {
    case 'active':
      return 'admitted';
    case 'waiting':
    case 'delayed':
      return 'returned';
    case 'stalled':
      return 'lost';
    case 'completed':
    case 'failed':
      return 'ended';
    default:
      return undefined;
  }
}
