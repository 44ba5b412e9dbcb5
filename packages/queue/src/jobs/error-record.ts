import type { ErrorClass } from '@fairlane/sdk';

/** One failed attempt, as it is stored and shown. */
export interface ErrorRecord {
  readonly code: string;
  readonly class: ErrorClass;
  /** One sentence, at most 300 characters. */
  readonly message: string;
  readonly status?: number;
  /** ISO time. */
  readonly at: string;
  readonly attempt: number;
  /** Which worker ran it. */
  readonly worker?: string;
}

/** Most records kept of one job; the oldest go first. */
export const MAX_ERROR_RECORDS = 10;

export function readErrorRecords(text: string | null | undefined): ErrorRecord[] {
  if (text === null || text === undefined) return [];
  try {
    const records: unknown = JSON.parse(text);
    return Array.isArray(records) ? (records as unknown[]).filter(isRecord) : [];
  } catch {
    return [];
  }
}

/** What others wrote into the field is no record. */
function isRecord(record: unknown): record is ErrorRecord {
  return typeof record === 'object' && record !== null && 'code' in record && 'at' in record;
}

export function appendErrorRecord(records: readonly ErrorRecord[], record: ErrorRecord): ErrorRecord[] {
  return [...records, record].slice(-MAX_ERROR_RECORDS);
}
