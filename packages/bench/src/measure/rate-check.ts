export interface Rate {
  /** Tokens that come back in `perMs`. */
  readonly limit: number;
  readonly perMs: number;
  readonly burst: number;
}

/**
 * How many of the starts (ascending, ms) exceed `burst + rate x T` in some interval T (R3). A bucket that is
 * refilled at the rate and drained by every start holds exactly that bound over all intervals at once.
 *
 * `slackMs` is what may lie between admission by the server's clock and the first line of a handler: two
 * starts can be seen closer together than they were admitted, never by more than that.
 */
export function rateViolations(startsMs: readonly number[], rate: Rate, slackMs: number): number {
  const intervalMs = rate.perMs / rate.limit;
  let emptyUntilMs = Number.NEGATIVE_INFINITY;
  let violations = 0;
  for (const startMs of startsMs) {
    const nextMs = Math.max(startMs, emptyUntilMs) + intervalMs;
    if (nextMs - startMs > rate.burst * intervalMs + slackMs) {
      violations += 1;
    } else {
      emptyUntilMs = nextMs;
    }
  }
  return violations;
}

/** Starts a gate allows over `durationMs`, when work was there all the time. */
export function allowedStarts(rate: Rate, durationMs: number): number {
  return rate.burst + Math.floor((durationMs * rate.limit) / rate.perMs);
}
