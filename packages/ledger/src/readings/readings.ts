/** How full a disk was, as a machine of an account told it. */
export interface Reading {
  readonly accountId: string;
  readonly host: string;
  readonly mount: string;
  /** Used space in per cent. */
  readonly percent: number;
  /** When it was measured: an ISO time. Given back in UTC, to the millisecond. */
  readonly at: string;
}

/** Keeps readings for a while. Texts must not hold U+0000, which Postgres cannot store. */
export interface Readings {
  /** Stores a reading; the same one again changes nothing. */
  add(reading: Reading): Promise<void>;
  /** The last measured readings of an account, newest first. @param limit from 1 to 1,000. */
  latest(accountId: string, limit: number): Promise<Reading[]>;
  close(): Promise<void>;
}

/** Most readings that one look gives. */
export const MAX_LATEST = 1_000;

export function inUtc(reading: Reading): Reading {
  const { accountId, host, mount, percent, at } = reading;
  return { accountId, host, mount, percent, at: new Date(at).toISOString() };
}

export function boundedLimit(limit: number): number {
  return Math.max(1, Math.min(MAX_LATEST, Math.floor(limit)));
}
