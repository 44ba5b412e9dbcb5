import type { AccountView, Surroundings } from '@fairlane/queue';
import type { z } from 'zod';
import { explain } from './explain.js';
import { presentLimits } from './present-limits.js';
import type { accountView, listedAccount, settingsAnswer } from './schemas.js';

/** The account as the API shows it: times in ISO 8601, limits as they are set, and the sentence. */
export function presentAccount(view: AccountView, around: Surroundings): z.output<typeof accountView> {
  return {
    ...presentSettings(view),
    paused: presentPause(view.paused),
    counts: view.counts,
    gates: view.gates.map(({ group, limits, tokens, inFlight, opensAt, reason }) => ({
      group,
      limits: presentLimits(limits),
      tokens,
      inFlight,
      ...(opensAt === undefined ? {} : { opensAt: isoTime(opensAt) }),
      ...(reason === undefined ? {} : { reason }),
    })),
    lanes: view.lanes.map(({ queue, group, ready, held, oldestEligibleAgeMs }) => ({
      queue,
      group,
      ready,
      held,
      oldestEligibleAgeMs,
    })),
    nextRunAt: optionalTime(view.nextRunAt),
    estimatedDrainAt: optionalTime(view.estimatedDrainAt),
    lastError: view.lastError && {
      jobId: view.lastError.jobId,
      message: view.lastError.message,
      at: isoTime(view.lastError.at),
    },
    lastCompletedAt: optionalTime(view.lastCompletedAt),
    explanation: explain(view, around),
  };
}

/** An account as a row of a list: the same words, and the figures that say how bad it is. */
export function presentListedAccount(
  view: AccountView,
  around: Surroundings,
): z.output<typeof listedAccount> {
  const { account, counts, lanes } = view;
  const eligible = lanes.flatMap(({ oldestEligibleAgeMs: age }) => (age === null ? [] : [age]));
  return {
    account,
    waiting: lanes.reduce((sum, lane) => sum + lane.ready + lane.held, 0),
    ready: counts.ready,
    held: counts.held,
    active: counts.active,
    dead: counts.dead,
    oldestEligibleAgeMs: eligible.length === 0 ? null : Math.max(...eligible),
    oldestWaitingAgeMs: Math.max(0, ...lanes.map((lane) => lane.oldestWaitingAgeMs)),
    nextRunAt: optionalTime(view.nextRunAt),
    explanation: explain(view, around),
  };
}

export function presentSettings({ account, weight, windows }: AccountView): z.output<typeof settingsAnswer> {
  return { account, weight, windows: windows as z.output<typeof settingsAnswer>['windows'] };
}

export function presentPause(paused: AccountView['paused']): { by: string; at: string } | null {
  return paused && { by: paused.by, at: isoTime(paused.at) };
}

/** Whether anything is known of an account. One without jobs and settings is as good as one that never was. */
export function isUnknown({ counts, gates, weight, paused, windows, lastCompletedAt }: AccountView): boolean {
  const hasJobs = Object.values(counts).some((count) => count > 0) || lastCompletedAt !== null;
  const hasSettings = weight !== 1 || paused !== null || windows !== null;
  const hasGates = gates.some(({ limits, inFlight, reason }) => {
    return limits.intervalMs !== null || limits.maxInFlight !== null || inFlight > 0 || reason !== undefined;
  });
  return !hasJobs && !hasSettings && !hasGates;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function optionalTime(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
