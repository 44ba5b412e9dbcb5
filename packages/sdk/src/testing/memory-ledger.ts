import type { EffectState } from '../decisions/effect-decision.js';
import { resolvedResult, type KeptResult } from '../internal/kept-result.js';

/** What became of one effect of a job. */
export interface EffectReport {
  /**
   * `open`: not applied. `started`: begun, outcome unknown so far. `unknown`: given up, a person decides.
   * Where people see jobs, one that is open after its start reads `not_applied`.
   */
  readonly state: EffectState['state'];
  /** Times `perform` was called. */
  readonly performed: number;
  /** Times `alreadyApplied` was called. */
  readonly asked: number;
  /** What `perform` or `alreadyApplied` gave, as a retry gets it back; left out where it cannot be kept. */
  readonly result?: unknown;
}

/** One effect of the job, as the ledger has it. */
export interface MemoryEntry {
  state: EffectState;
  performed: number;
  asked: number;
  result: KeptResult;
}

/** Keeps in memory what effects came to, over all attempts of a job. */
export class MemoryLedger {
  readonly #entries = new Map<string, MemoryEntry>();

  entry(name: string): MemoryEntry {
    const found = this.#entries.get(name);
    if (found !== undefined) return found;
    const entry: MemoryEntry = {
      state: { state: 'open' },
      performed: 0,
      asked: 0,
      result: { kept: 'nothing' },
    };
    this.#entries.set(name, entry);
    return entry;
  }

  report(): Record<string, EffectReport> {
    return Object.fromEntries(
      [...this.#entries].map(([name, { state, performed, asked, result }]) => [
        name,
        {
          state: state.state,
          performed,
          asked,
          ...(result.kept === 'json' ? { result: JSON.parse(result.json) as unknown } : {}),
        },
      ]),
    );
  }

  /**
   * Names of effects that wait for a person.
   *
   * @param diedOfUnknown whether the job is dead because nobody could tell: then one that is only started counts too.
   */
  unresolved(diedOfUnknown: boolean): string[] {
    return [...this.#entries]
      .filter(([, { state }]) => state.state === 'unknown' || (diedOfUnknown && state.state === 'started'))
      .map(([name]) => name);
  }

  resolve(name: string, outcome: 'applied' | 'not_applied', externalId: string | undefined): void {
    const entry = this.entry(name);
    if (outcome === 'not_applied') {
      entry.state = { state: 'open' };
      return;
    }
    entry.state = { state: 'done' };
    entry.result = { kept: 'json', json: resolvedResult(externalId) };
  }
}
