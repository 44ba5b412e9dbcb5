/**
 * Durations in buckets whose bounds grow by 2^(1/4): an answer is off by less than 10 %, and from a millisecond to
 * twelve days there are 121 buckets, however many jobs are counted.
 */
const PER_DOUBLING = 4;
const LAST_BUCKET = 30 * PER_DOUBLING;

/** Amounts by bucket. */
export type Durations = ReadonlyMap<number, number>;

/** The bucket of a duration: 0 up to a millisecond, each next one up to 2^(1/4) times as long. */
export function bucketOf(ms: number): number {
  if (!(ms > 1)) return 0;
  return Math.min(LAST_BUCKET, Math.ceil(PER_DOUBLING * Math.log2(ms)));
}

/** The duration in ms below which `share` (0-1) of the counted ones lie; null when none were counted. */
export function quantile(durations: Durations, share: number): number | null {
  let total = 0;
  for (const amount of durations.values()) total += amount;
  if (total <= 0) return null;
  let below = 0;
  let bucket = 0;
  for (const [each, amount] of [...durations].toSorted(([one], [other]) => one - other)) {
    if (amount <= 0) continue;
    below += amount;
    bucket = each;
    // Amounts may be parts, whose sum is off by a rounding error.
    if (below >= share * total - 1e-9) break;
  }
  return middleMs(bucket);
}

/** Geometric middle, so that the error is the same both ways. */
function middleMs(bucket: number): number {
  if (bucket === 0) return 1;
  return Math.round(2 ** ((bucket - 0.5) / PER_DOUBLING));
}
