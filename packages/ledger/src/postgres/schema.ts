import type { Generated, Kysely } from 'kysely';

import type { EffectState, KeptResult } from '../ledger.js';

/** Tables of the ledger. Times are `timestamptz` on the server's clock, durations milliseconds. */
export interface LedgerSchema {
  fairlane_ledger_job: JobTable;
  fairlane_ledger_effect: EffectTable;
}

interface JobTable {
  job_id: string;
  /** Counts claims; raised at each, never reset. `bigint`, which the driver gives as text. */
  fence: string;
  /** Name of the attempt that made the last claim; null once a person has resolved an effect. */
  holder: string | null;
  touched_at: Date;
}

interface EffectTable {
  job_id: string;
  name: string;
  state: EffectState;
  /** Under which it was started. */
  fence: string;
  /** When the outside may have seen its idempotency key for the first time. */
  first_started_at: Date;
  started_at: Date;
  timeout_ms: string;
  input_hash: string;
  kept: KeptResult['kept'] | null;
  /** JSON text as it was written: `jsonb` would refuse \u0000 and reorder members. */
  result: string | null;
  external_id: string | null;
  changed_at: Generated<Date>;
}

export type LedgerDatabase = Kysely<LedgerSchema>;
