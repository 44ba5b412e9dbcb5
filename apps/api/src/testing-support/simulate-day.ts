import { desiredReplicas, type QueueDemand } from '../scaling/desired-replicas.js';
import { RECENT_MINUTES } from '../scaling/read-demand.js';

export interface SimulatedDay {
  /** Jobs that arrive in each minute. */
  readonly arrivals: readonly number[];
  readonly serviceMs: number;
  readonly slotsPerReplica: number;
  readonly min: number;
  readonly max: number;
  readonly targetAgeMs: number;
}

export interface SimulatedMinute {
  readonly arrived: number;
  readonly replicas: number;
  readonly oldestAgeMs: number;
}

export interface SimulationResult {
  readonly minutes: readonly SimulatedMinute[];
  readonly oldestAgeMs: number;
  /** Times the number of replicas changed, and those that undid the change before within ten minutes. */
  readonly changes: number;
  readonly reversals: number;
  readonly replicaHours: number;
}

const POLL_SECONDS = 15;
/** From the answer until a new replica takes jobs. */
const START_SECONDS = 30;
const REVERSAL_SECONDS = 600;
/** The default of Kubernetes: it goes down to the most that was asked for within this time. */
const STABILIZATION_SECONDS = 300;

/** A day second by second: jobs arrive evenly within their minute, run first in, first out, for the same time each. */
export function simulateDay(day: SimulatedDay): SimulationResult {
  const { arrivals, serviceMs, slotsPerReplica, min, max, targetAgeMs } = day;
  const perSlot = 1_000 / serviceMs;
  const started: number[] = [];
  const minutes: SimulatedMinute[] = [];
  const waiting: { since: number; count: number }[] = [];
  let replicas = Math.max(1, min);
  let asked = replicas;
  let coming: { at: number; replicas: number }[] = [];
  let lastChange: { at: number; by: number } | undefined;
  const totals = { oldestAgeMs: 0, changes: 0, reversals: 0, replicaSeconds: 0 };
  let oldestInMinute = 0;
  const answers: number[] = [];
  for (let second = 0; second < arrivals.length * 60; second += 1) {
    const minute = Math.floor(second / 60);
    for (const change of coming) if (change.at === second) replicas = change.replicas;
    coming = coming.filter(({ at }) => at > second);
    waiting.push({ since: second, count: (arrivals[minute] ?? 0) / 60 });
    let free = replicas * slotsPerReplica * perSlot;
    let ran = 0;
    while (free > 1e-9 && waiting[0] !== undefined) {
      const taken = Math.min(free, waiting[0].count);
      waiting[0].count -= taken;
      free -= taken;
      ran += taken;
      if (waiting[0].count <= 1e-9) waiting.shift();
    }
    started.push(ran);
    const oldestAgeMs = waiting[0] === undefined ? 0 : (second - waiting[0].since) * 1_000;
    oldestInMinute = Math.max(oldestInMinute, oldestAgeMs);
    totals.oldestAgeMs = Math.max(totals.oldestAgeMs, oldestAgeMs);
    totals.replicaSeconds += replicas;
    if (second % 60 === 59) {
      minutes.push({ arrived: arrivals[minute] ?? 0, replicas, oldestAgeMs: oldestInMinute });
      oldestInMinute = 0;
    }
    if (second % POLL_SECONDS !== 0) continue;
    const bounds = { min, max, targetAgeMs, current: replicas };
    answers.push(desiredReplicas([demandAt(second)], bounds).desiredReplicas);
    const desired = Math.max(...answers.slice(-STABILIZATION_SECONDS / POLL_SECONDS));
    if (desired === asked) continue;
    const by = Math.sign(desired - asked);
    totals.changes += 1;
    if (lastChange && by !== lastChange.by && second - lastChange.at < REVERSAL_SECONDS)
      totals.reversals += 1;
    lastChange = { at: second, by };
    coming.push({ at: desired > asked ? second + START_SECONDS : second + 1, replicas: desired });
    asked = desired;
  }
  const { oldestAgeMs, changes, reversals, replicaSeconds } = totals;
  return { minutes, oldestAgeMs, changes, reversals, replicaHours: Math.round(replicaSeconds / 36) / 100 };

  function demandAt(second: number): QueueDemand {
    const recent = started.slice(-60);
    const perMinute = Array.from({ length: RECENT_MINUTES }, (_value, at) =>
      mean(started.slice(Math.max(0, second + 1 - (at + 1) * 60), Math.max(0, second + 1 - at * 60))),
    );
    return {
      queue: 'simulated',
      eligible: waiting.reduce((sum, { count }) => sum + count, 0),
      active: Math.min(replicas * slotsPerReplica, (started.at(-1) ?? 0) / perSlot),
      oldestAgeMs: waiting[0] === undefined ? null : (second - waiting[0].since) * 1_000,
      startedPerSecond: mean(recent),
      peakPerSecond: Math.max(...perMinute),
      serviceMs,
      slotsPerReplica,
      opensLater: false,
    };
  }
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
