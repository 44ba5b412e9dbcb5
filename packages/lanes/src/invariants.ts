/**
 * Rules R3 to R6 as pure checks over a recorded history. Properties, crash tests and load runs use
 * the same ones. Each returns the violations it finds as sentences; none means that the rule held.
 */

/** A job was handed out. Times are ms of one clock, and the history is in order of time. */
export interface Admission {
  at: number;
  account: string;
  group: string;
  jobId: string;
  cost: number;
}

/** From `from` on a gate has these limits; without `limit` or `maxInFlight` it is not limited by it. */
export interface LimitPeriod {
  from: number;
  limit?: number;
  perMs?: number;
  burst?: number;
  maxInFlight?: number;
}

/** Rounding of times to microseconds may show one token early by this much. */
const TOLERANCE = 1e-6;

function rateOf(period: LimitPeriod): number {
  return period.limit === undefined ? Infinity : period.limit / (period.perMs ?? 1);
}

function burstOf(period: LimitPeriod): number {
  return period.limit === undefined ? Infinity : (period.burst ?? Math.max(period.limit, 1));
}

/** Periods of a gate that overlap [start, end]. */
function periodsWithin(
  periods: readonly LimitPeriod[],
  start: number,
  end: number,
): { period: LimitPeriod; ms: number }[] {
  return periods.flatMap((period, at) => {
    const until = periods[at + 1]?.from ?? Infinity;
    const from = Math.max(period.from, start);
    const to = Math.min(until, end);
    return to >= from ? [{ period, ms: to - from }] : [];
  });
}

/**
 * R3: in any interval T a gate admits at most burst + rate x T; while the limit changes, the larger
 * of the bursts and the rate of each moment count.
 */
export function checkRate(admissions: readonly Admission[], periods: readonly LimitPeriod[]): string[] {
  const violations: string[] = [];
  for (let first = 0; first < admissions.length; first += 1) {
    let spent = 0;
    for (let last = first; last < admissions.length; last += 1) {
      const start = admissions[first]!.at;
      const end = admissions[last]!.at;
      const within = periodsWithin(periods, start, end);
      if (within.length === 0) {
        continue;
      }
      const burst = Math.max(...within.map(({ period }) => burstOf(period)));
      const refilled = within.reduce((sum, { period, ms }) => sum + (ms === 0 ? 0 : rateOf(period) * ms), 0);
      spent += Math.min(admissions[last]!.cost, burst);
      if (spent > burst + refilled + TOLERANCE) {
        violations.push(
          `R3: ${spent} tokens from ${start} to ${end}, allowed ${burst} + ${refilled} (jobs ${admissions[first]!.jobId} to ${admissions[last]!.jobId})`,
        );
        break;
      }
    }
  }
  return violations;
}

/** A claim of a gate: from admission to the end of its lease or its release. */
export interface ClaimSpan {
  jobId: string;
  from: number;
  /** Infinity while it is held. */
  to: number;
}

/** R4: never more unexpired claims of a gate than `maxInFlight` allows at the moment of admission. */
export function checkInFlight(claims: readonly ClaimSpan[], periods: readonly LimitPeriod[]): string[] {
  const violations: string[] = [];
  for (const claim of claims) {
    const now = periodsWithin(periods, claim.from, claim.from);
    const max = Math.max(-Infinity, ...now.map(({ period }) => period.maxInFlight ?? Infinity));
    const inFlight = claims.filter((other) => other.from <= claim.from && other.to > claim.from).length;
    if (now.length > 0 && inFlight > max) {
      violations.push(`R4: ${inFlight} in flight at ${claim.from} with ${claim.jobId}, allowed ${max}`);
    }
  }
  return violations;
}

/** R5: nothing is admitted outside the open intervals. */
export function checkWindow(
  admissions: readonly Admission[],
  intervals: readonly (readonly [open: number, close: number])[],
): string[] {
  return admissions
    .filter(({ at }) => !intervals.some(([open, close]) => at >= open && at < close))
    .map(({ jobId, at }) => `R5: ${jobId} was admitted at ${at}, outside every window`);
}

export type FairnessEvent =
  | { kind: 'served'; account: string; cost: number }
  /** The account has stopped, or begun again, to have a job that could run. */
  | { kind: 'ineligible' | 'eligible'; account: string }
  /** From now on the account has this weight. */
  | { kind: 'weight'; account: string; weight: number };

/** What each served event counts for: its cost by the weight of that time. The others count for nothing. */
function sharesOf(events: readonly FairnessEvent[], weights: ReadonlyMap<string, number>): number[] {
  const current = new Map(weights);
  return events.map((event) => {
    if (event.kind === 'weight') {
      current.set(event.account, event.weight);
    }
    return event.kind === 'served' ? event.cost / current.get(event.account)! : 0;
  });
}

/**
 * R6: of two accounts that stay eligible, served / weight differ by at most the sum of their
 * highest costs / weight, over any part of that time. `weights` are those at the beginning.
 */
export function checkFairness(
  events: readonly FairnessEvent[],
  weights: ReadonlyMap<string, number>,
): string[] {
  const violations: string[] = [];
  const accounts = [...weights.keys()];
  const shares = sharesOf(events, weights);
  const highest = new Map<string, number>(accounts.map((account) => [account, 0]));
  for (const [at, { account }] of events.entries()) {
    highest.set(account, Math.max(highest.get(account) ?? 0, shares[at]!));
  }
  for (const [index, one] of accounts.entries()) {
    for (const other of accounts.slice(index + 1)) {
      const bound = highest.get(one)! + highest.get(other)!;
      let difference = 0;
      let low = 0;
      let high = 0;
      const eligible = new Set<string>();
      for (const [at, event] of events.entries()) {
        if (event.account !== one && event.account !== other) {
          continue;
        }
        if (event.kind === 'served') {
          difference += (event.account === one ? 1 : -1) * shares[at]!;
        } else if (event.kind === 'eligible') {
          eligible.add(event.account);
        } else if (event.kind === 'ineligible') {
          eligible.delete(event.account);
        } else {
          continue;
        }
        if (event.kind !== 'served' || eligible.size < 2) {
          [low, high] = [difference, difference];
          continue;
        }
        low = Math.min(low, difference);
        high = Math.max(high, difference);
        if (high - low > bound + TOLERANCE) {
          violations.push(`R6: ${one} and ${other} drifted ${high - low} apart, allowed ${bound}`);
          [low, high] = [difference, difference];
        }
      }
    }
  }
  return violations;
}
