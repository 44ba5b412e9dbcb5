import { setTimeout as delay } from 'node:timers/promises';

import { Redis } from 'ioredis';

import type { Deployment } from '../deployment/deployment.js';
import type { FaultProxy } from '../proxy/index.js';
import type { PostgresServer } from '../servers/postgres.js';
import { startRedis, type RedisServer } from '../servers/redis.js';
import type { FaultKind, PlannedFault } from './fault-plan.js';

/** What there is to break. */
export interface Target {
  readonly deployment: Deployment;
  readonly redis: RedisServer;
  readonly postgres: PostgresServer | undefined;
  /** Through which everything speaks to its stores. */
  readonly wires: readonly FaultProxy[];
  readonly leaseMs: number;
}

const POLL_MS = 50;
const READ_ONLY_MS = 10_000;
const FULL_MS = 5_000;
/** Of the cuts, those that hit every connection at once, and those that first lose what is answered meanwhile. */
const CUT_ALL = 0.25;
const SWALLOW = 0.4;
const SWALLOW_MS = 2_000;

/**
 * Strikes each fault of the plan when that share of the work is done. Resolves, once all are over or the work is,
 * with how many of each kind struck.
 */
export async function strikeAll(
  plan: readonly PlannedFault[],
  target: Target,
  { progress, signal }: { progress: () => number; signal: AbortSignal },
): Promise<Record<FaultKind, number>> {
  const struck = { kill: 0, restart: 0, cut: 0, stop: 0, readOnly: 0, full: 0 };
  const lasting: Promise<void>[] = [];
  for (const fault of plan) {
    const isDue = () => progress() >= fault.at && (fault.kind !== 'kill' || someWorkerStays(target));
    while (!isDue() && !signal.aborted) await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    struck[fault.kind] += 1;
    const strike = STRIKES[fault.kind](target, fault);
    if (fault.kind === 'restart') await strike;
    else lasting.push(strike);
    // Of one that failed before all are waited for.
    strike.catch(() => undefined);
  }
  await Promise.all(lasting);
  return struck;
}

/** A kill does not wait for the successor of the one before, as long as it is not the last worker. */
function someWorkerStays({ deployment }: Target): boolean {
  return deployment.workerPids().length > 1;
}

const STRIKES: Record<FaultKind, (target: Target, fault: PlannedFault) => Promise<void>> = {
  async kill({ deployment }, { pick }) {
    await deployment.replaceWorker(choose(deployment.workerPids(), pick));
  },

  async restart({ redis, postgres }) {
    await Promise.all([redis.kill(), postgres?.kill()]);
    await Promise.all([redis.restart(), postgres?.restart()]);
  },

  async cut({ wires }, { pick }) {
    const wire = choose(wires, (pick * 97) % 1);
    if (pick < CUT_ALL) wire.cut();
    else if (pick < SWALLOW) {
      const restore = wire.swallow('toClient');
      await delay(SWALLOW_MS);
      restore();
    } else wire.cutOne((pick - SWALLOW) / (1 - SWALLOW));
  },

  async stop({ deployment, leaseMs }, { pick }) {
    const pid = choose(deployment.workerPids(), pick);
    signalIfThere(pid, 'SIGSTOP');
    // Longer than the lease and the search for stalled jobs, so that others have its jobs when it goes on.
    await delay(leaseMs * (1.6 + pick));
    signalIfThere(pid, 'SIGCONT');
  },

  async readOnly({ redis }) {
    // A primary that lets nobody in: this server keeps its data and refuses writes.
    const primary = await startRedis({ appendonly: false });
    await asking(primary, async (client) => client.config('SET', 'requirepass', 'nobody knows'));
    await asking(redis, async (client) => client.replicaof('127.0.0.1', primary.port));
    await delay(READ_ONLY_MS);
    await asking(redis, async (client) => client.replicaof('NO', 'ONE'));
    await primary.stop();
  },

  async full({ redis }) {
    await asking(redis, async (client) => client.config('SET', 'maxmemory', 1));
    await delay(FULL_MS);
    await asking(redis, async (client) => client.config('SET', 'maxmemory', 0));
  },
};

/** On a connection of its own, which waits while the server is being started again. */
async function asking(redis: RedisServer, ask: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(redis.url, { retryStrategy: () => POLL_MS, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  try {
    await ask(client);
  } finally {
    client.disconnect();
  }
}

function choose<T>(values: readonly T[], pick: number): T {
  const value = values[Math.floor(pick * values.length)];
  if (value === undefined) throw new Error('nothing to choose from');
  return value;
}

/** It may have been killed meanwhile. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
