import { setTimeout as delay } from 'node:timers/promises';

import type { Deployment } from '../deployment/deployment.js';
import type { ApiClient } from './api-client.js';

const POLL_MS = 50;

/**
 * Kills a worker each time another (kills + 1)-th part of the work is done, so that there is work before
 * the first and after the last. A kill does not wait for the successor of the one before, as long as some
 * worker is up. Resolves with the number of kills once the last is done or `signal` says that the run is over.
 */
export async function killWorkers(options: {
  deployment: Deployment;
  api: ApiClient;
  kills: number;
  /** From 0 to 1. */
  progress: () => number;
  signal: AbortSignal;
}): Promise<number> {
  const { deployment, kills, progress, signal } = options;
  const successors = new Set<Promise<void>>();
  let killed = 0;
  while (killed < kills && !signal.aborted) {
    if (progress() < (killed + 1) / (kills + 1)) {
      await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
      continue;
    }
    if (deployment.workerPids().length < 2 && successors.size > 0) {
      await Promise.race(successors);
      continue;
    }
    const successor = deployment.replaceWorker(await chooseVictim(options, killed));
    successors.add(successor);
    successor.then(
      () => successors.delete(successor),
      // Stays, for whoever waits next to learn of it.
      () => undefined,
    );
    killed += 1;
  }
  await Promise.all(successors);
  return killed;
}

/** The busiest; where none is busy, in turn. */
async function chooseVictim(
  { deployment, api }: { deployment: Deployment; api: ApiClient },
  killed: number,
): Promise<number> {
  const pids = deployment.workerPids();
  const views = await api.workers();
  const busiest = views.filter(({ pid }) => pids.includes(pid)).toSorted((a, b) => b.busy - a.busy)[0];
  if (busiest !== undefined && busiest.busy > 0) return busiest.pid;
  const victim = pids[killed % pids.length];
  if (victim === undefined) throw new Error('no worker is left');
  return victim;
}
