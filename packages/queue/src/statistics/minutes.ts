import type { Durations } from './durations.js';

/** Kept a little longer than the hour that is shown. */
export const KEPT_SECONDS = 75 * 60;
export const MINUTE_MS = 60_000;

/** Stem of the keys of the counted minutes. */
export function minutesStem(prefix: string): string {
  return `${prefix}::st:`;
}

/** What is added up, and the fields it is kept in. */
export const COUNT_FIELDS = {
  enqueued: 'e',
  started: 's',
  completed: 'c',
  dead: 'd',
  cancelled: 'x',
  /** Attempts whose handler ended with a result. */
  succeededAttempts: 'o',
  /** Attempts whose handler ended with an error; those that the outside throttled are no error. */
  failedAttempts: 'f',
} as const;

export type Count = keyof typeof COUNT_FIELDS;
export const COUNTS = Object.keys(COUNT_FIELDS) as Count[];

/** Histogram fields: one of these, then the bucket. */
export const WAITED_FIELD = 'w';
export const PROCESSED_FIELD = 'p';

/** What was seen of a queue at one moment. */
export interface Sample {
  readonly ready: number;
  readonly held: number;
  readonly active: number;
  readonly oldestEligibleAgeMs: number | null;
}

/** Fields of a sample, which hold the last value. */
export const SAMPLE_FIELDS = { ready: '=r', held: '=h', active: '=a', oldestEligibleAgeMs: '=o' } as const;

/** Amounts over some time; parts of a minute make them fractions. */
export interface Tally {
  readonly counts: Readonly<Record<Count, number>>;
  readonly waited: Durations;
  readonly processed: Durations;
  readonly sample: Sample | null;
}

/** Reads the hash of a minute. Fields that are not known, as of a newer version, are passed over. */
export function readMinute(hash: Readonly<Record<string, string>>): Tally {
  const waited = new Map<number, number>();
  const processed = new Map<number, number>();
  for (const [field, value] of Object.entries(hash)) {
    const bucket = Number(field.slice(1));
    if (field.length < 2 || !Number.isInteger(bucket)) continue;
    if (field.startsWith(WAITED_FIELD)) waited.set(bucket, Number(value));
    if (field.startsWith(PROCESSED_FIELD)) processed.set(bucket, Number(value));
  }
  const counts = Object.fromEntries(COUNTS.map((count) => [count, Number(hash[COUNT_FIELDS[count]] ?? 0)]));
  return { counts: counts as Record<Count, number>, waited, processed, sample: readSample(hash) };
}

function readSample(hash: Readonly<Record<string, string>>): Sample | null {
  if (hash[SAMPLE_FIELDS.ready] === undefined) return null;
  const age = hash[SAMPLE_FIELDS.oldestEligibleAgeMs];
  return {
    ready: Number(hash[SAMPLE_FIELDS.ready]),
    held: Number(hash[SAMPLE_FIELDS.held] ?? 0),
    active: Number(hash[SAMPLE_FIELDS.active] ?? 0),
    oldestEligibleAgeMs: age === undefined || age === '' ? null : Number(age),
  };
}

/** Adds up minutes, each with the share of it that counts. */
export function addUp(parts: Iterable<readonly [tally: Tally, share: number]>): Tally {
  const counts = Object.fromEntries(COUNTS.map((count) => [count, 0])) as Record<Count, number>;
  const waited = new Map<number, number>();
  const processed = new Map<number, number>();
  for (const [tally, share] of parts) {
    for (const count of COUNTS) counts[count] += share * tally.counts[count];
    for (const [bucket, amount] of tally.waited) add(waited, bucket, share * amount);
    for (const [bucket, amount] of tally.processed) add(processed, bucket, share * amount);
  }
  return { counts, waited, processed, sample: null };
}

function add(durations: Map<number, number>, bucket: number, amount: number): void {
  durations.set(bucket, (durations.get(bucket) ?? 0) + amount);
}
