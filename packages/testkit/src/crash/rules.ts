import type { RateLimit } from '../sandbox/index.js';
import type { Transition } from './history.js';

/**
 * R1, R3 and R4 as pure checks over the recorded history of a queue. Each returns its violations as sentences; none
 * means that the rule held. One pass over the history, since a long run has hundreds of thousands of steps.
 */

/** Limits of the gate that a job passes; undefined for none. */
export type LimitsOf = (jobId: string) => GateLimits | undefined;

export interface GateLimits {
  readonly gate: string;
  readonly rate?: RateLimit;
  readonly maxInFlight?: number;
}

/** A script writes its event some time after it read the clock that it decides by, on a busy machine 20 ms. */
const EVENT_DELAY_MS = 100;

/** R1: every job comes to exactly one end, and nothing happens to it afterwards. */
export function checkEnds(history: readonly Transition[], jobIds: Iterable<string>): string[] {
  const violations: string[] = [];
  const ended = new Set<string>();
  for (const { step, jobId, atMs } of history) {
    if (ended.has(jobId)) violations.push(`R1: ${jobId} was ${step} at ${atMs}, after its end`);
    if (step === 'ended') ended.add(jobId);
  }
  for (const jobId of jobIds) if (!ended.has(jobId)) violations.push(`R1: ${jobId} never ended`);
  return violations;
}

/**
 * R3: in any interval T a gate admits at most burst + rate x T. With `spentUntil` the time at which the bucket would
 * be full again, an admission that leaves it further ahead than the burst takes to refill breaks the bound in some
 * interval that ends now, and only such an admission does.
 */
export function checkRate(history: readonly Transition[], limitsOf: LimitsOf): string[] {
  const violations: string[] = [];
  const spentUntil = new Map<string, number>();
  for (const { step, jobId, atMs } of history) {
    const { gate, rate } = (step === 'admitted' ? limitsOf(jobId) : undefined) ?? {};
    if (gate === undefined || rate === undefined) continue;
    const msPerToken = rate.perMs / rate.limit;
    const spent = Math.max(spentUntil.get(gate) ?? 0, atMs) + msPerToken;
    spentUntil.set(gate, spent);
    const tooEarlyMs = spent - atMs - rate.burst * msPerToken;
    if (tooEarlyMs > EVENT_DELAY_MS) {
      violations.push(`R3: ${gate} admitted ${jobId} at ${atMs}, ${tooEarlyMs.toFixed(1)} ms too early`);
    }
  }
  return violations;
}

/**
 * R4: never more unexpired claims of a gate than `maxInFlight`. A claim lasts until the job leaves its worker. Where
 * it is taken back from a lost worker, only the first lease is certain: events do not tell of renewals.
 */
export function checkInFlight(history: readonly Transition[], limitsOf: LimitsOf, leaseMs: number): string[] {
  const violations: string[] = [];
  const losses = lostAdmissions(history);
  /** By gate, each job that is certain to have a claim, with the time until which it is. */
  const claims = new Map<string, Map<string, number>>();
  for (const transition of history) {
    const { step, jobId, atMs } = transition;
    const { gate, maxInFlight = Infinity } = limitsOf(jobId) ?? {};
    if (gate === undefined) continue;
    const ofGate = claims.get(gate) ?? new Map<string, number>();
    claims.set(gate, ofGate);
    if (step !== 'admitted') {
      ofGate.delete(jobId);
      continue;
    }
    ofGate.set(jobId, losses.has(transition) ? atMs + leaseMs : Infinity);
    const count = [...ofGate.values()].filter((untilMs) => untilMs > atMs).length;
    if (count > maxInFlight) {
      violations.push(`R4: ${count} in flight of ${gate} with ${jobId} at ${atMs}, allowed ${maxInFlight}`);
    }
  }
  return violations;
}

/** Admissions to workers that were lost with the job. */
function lostAdmissions(history: readonly Transition[]): ReadonlySet<Transition> {
  const lost = new Set<Transition>();
  const latest = new Map<string, Transition>();
  for (const transition of history) {
    const { step, jobId } = transition;
    if (step === 'admitted') latest.set(jobId, transition);
    const admission = latest.get(jobId);
    if (step === 'lost' && admission !== undefined) lost.add(admission);
  }
  return lost;
}

/** The most jobs of one gate that were with workers at the same time. */
export function mostInFlight(history: readonly Transition[], limitsOf: LimitsOf): number {
  const counts = new Map<string, number>();
  let most = 0;
  const held = new Set<string>();
  for (const { step, jobId } of history) {
    const gate = limitsOf(jobId)?.gate ?? '';
    const before = counts.get(gate) ?? 0;
    if (step === 'admitted' && !held.has(jobId)) {
      held.add(jobId);
      counts.set(gate, before + 1);
      most = Math.max(most, before + 1);
    } else if (step !== 'admitted' && held.delete(jobId)) counts.set(gate, before - 1);
  }
  return most;
}
