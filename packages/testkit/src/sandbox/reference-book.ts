import type { AccountKind, ReferenceReport } from './protocol.js';

/** A platform that runs for days must not grow without end; a benchmark day has 200,000 references. */
const MAX_REFERENCES = 2_000_000;

export interface ReferenceRecord {
  requests: number;
  lookups: number;
  applied: number;
  lastStatus: number;
  ambiguous: boolean;
  /** The caller went away soon after an answer. */
  hungUp: boolean;
  kind: AccountKind | undefined;
  /** First message that was applied for this reference. */
  message?: { id: string; visibleAtMs: number };
}

const PERMANENT = new Set([401, 404, 422]);

/** Everything that was seen of every reference: the record against which a run is judged. */
export class ReferenceBook {
  #records = new Map<string, ReferenceRecord>();

  /** Undefined when the book is full. */
  open(reference: string, kind: AccountKind | undefined): ReferenceRecord | undefined {
    const known = this.#records.get(reference);
    if (known !== undefined) return known;
    if (this.#records.size >= MAX_REFERENCES) return undefined;
    const record = {
      requests: 0,
      lookups: 0,
      applied: 0,
      lastStatus: 0,
      ambiguous: false,
      hungUp: false,
      kind,
    };
    this.#records.set(reference, record);
    return record;
  }

  find(reference: string): ReferenceRecord | undefined {
    return this.#records.get(reference);
  }

  /**
   * The caller of a blind account does not know what became of a reference. That is believed of one that went
   * away with its answer, or before its request came through: one that asks for no such reason has forgotten
   * what it was told, and its job must not end dead.
   */
  askedInVain(reference: string): void {
    const record = this.open(reference, 'blind');
    if (record !== undefined && (record.hungUp || record.requests === 0)) record.ambiguous = true;
  }

  totals(): { applied: number; repeated: number; expectedDead: number } {
    let applied = 0;
    let repeated = 0;
    let expectedDead = 0;
    for (const record of this.#records.values()) {
      applied += record.applied;
      repeated += Math.max(0, record.applied - 1);
      if (canOnlyEndDead(record)) expectedDead += 1;
    }
    return { applied, repeated, expectedDead };
  }

  byReference(): Record<string, ReferenceReport> {
    // A null prototype, since a reference is any text a caller sends, `__proto__` included.
    const report = Object.create(null) as Record<string, ReferenceReport>;
    for (const [reference, { requests, applied, lastStatus, ambiguous }] of this.#records) {
      // One that no request came of may be expected to end dead all the same, since it was asked for in vain.
      if (requests > 0 || ambiguous) report[reference] = { requests, applied, lastStatus, ambiguous };
    }
    return report;
  }
}

/** Whether the job of a reference can end in no other way, by what the platform has answered. */
export function canOnlyEndDead(record: Pick<ReferenceRecord, 'kind' | 'lastStatus' | 'ambiguous'>): boolean {
  // The first unknown outcome of a blind account settles it: a request after it is the caller's mistake.
  if (record.kind === 'blind' && record.ambiguous) return true;
  return PERMANENT.has(record.lastStatus);
}
