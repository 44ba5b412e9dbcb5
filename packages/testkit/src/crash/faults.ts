import { setTimeout as delay } from 'node:timers/promises';

import { Redis } from 'ioredis';

import type { Deployment } from '../deployment/deployment.js';
import type { FaultProxy } from '../proxy/index.js';
import { startRedis, type RedisServer } from '../servers/redis.js';
import type { FaultKind, PlannedFault } from './fault-plan.js';

/** What there is to break. */
export interface Target {
  readonly deployment: Deployment;
  readonly redis: RedisServer;
  /** Through which everything speaks to its stores. */
  readonly wires: readonly FaultProxy[];
  readonly leaseMs: number;
}

const POLL_MS = 50;
const READ_ONLY_MS = 10_000;
/** Of the cuts, those that hit every connection at once. */
const CUT_ALL = 0.25;

/**
 * Strikes each fault of the plan when that share of the work is done. Resolves, once all are over or the work is,
 * with how many of each kind struck.
 */
export async function strikeAll(
  plan: readonly PlannedFault[],
  target: Target,
  { progress, signal }: { progress: () => number; signal: AbortSignal },
): Promise<Record<FaultKind, number>> {
  const struck = { kill: 0, restart: 0, cut: 0, stop: 0, readOnly: 0 };
  const lasting: Promise<void>[] = [];
  for (const fault of plan) {
    while (progress() < fault.at && !signal.aborted)
      await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    struck[fault.kind] += 1;
    // What lasts goes on beside the faults that follow; so many workers are killed that each waits for the next.
    if (fault.kind === 'stop' || fault.kind === 'readOnly') lasting.push(STRIKES[fault.kind](target, fault));
    else await STRIKES[fault.kind](target, fault);
  }
  await Promise.all(lasting);
  return struck;
}

const STRIKES: Record<FaultKind, (target: Target, fault: PlannedFault) => Promise<void>> = {
  async kill({ deployment }, { pick }) {
    await deployment.replaceWorker(choose(deployment.workerPids(), pick));
  },

  async restart({ redis }) {
    await redis.kill();
    await redis.restart();
  },

  async cut({ wires }, { pick }) {
    const wire = choose(wires, (pick * 97) % 1);
    if (pick < CUT_ALL) wire.cut();
    else wire.cutOne((pick - CUT_ALL) / (1 - CUT_ALL));
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
    const primary = await startRedis({ appendonly: false, config: { requirepass: 'nobody' } });
    const client = new Redis(redis.url);
    try {
      await client.replicaof('127.0.0.1', primary.port);
      await delay(READ_ONLY_MS);
      await client.replicaof('NO', 'ONE');
    } finally {
      client.disconnect();
      await primary.stop();
    }
  },
};

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
