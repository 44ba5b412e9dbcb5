import { randomUUID } from 'node:crypto';

import { keepResult } from '@fairlane/sdk/internal';
import type { BeginRequest, EffectLedger } from '../ledger.js';

/** A ledger on a clock that the test turns. */
export interface LedgerInTests {
  ledger: EffectLedger;
  clock: { nowMs: number };
}

const START_MS = 1_700_000_000_000;

export function startClock(): { nowMs: number } {
  return { nowMs: START_MS };
}

export function newJob(): string {
  return randomUUID();
}

/** Calls of a ledger as its contract makes them: of an effect `send`, by another holder each time. */
export function callsOf(open: () => LedgerInTests) {
  async function begin(jobId: string, patch: Partial<BeginRequest> = {}) {
    const request = { jobId, fence: undefined, name: 'send', inputHash: 'in-1', timeoutMs: 1_000 };
    return open().ledger.begin({ ...request, holder: randomUUID(), ...patch });
  }

  async function recordDone(jobId: string, fence: number, value: unknown, externalId?: string) {
    const outcome = { state: 'done', result: keepResult(value), externalId } as const;
    return open().ledger.record({ jobId, fence, name: 'send', outcome });
  }

  async function statesOf(jobId: string) {
    return (await open().ledger.effects(jobId)).map(({ name, state }) => `${name} ${state}`);
  }

  return { begin, recordDone, statesOf };
}
