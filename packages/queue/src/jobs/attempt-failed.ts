import type { Settlement } from './settlement.js';

/**
 * Carries the decision about an attempt through BullMQ's worker, whatever the handler threw: BullMQ reads names and
 * messages of errors (`DelayedError`, its rate-limit text) and fails on a thrown `undefined` (A24).
 */
export class AttemptFailed extends Error {
  readonly settlement: Settlement;

  constructor(settlement: Settlement, cause?: unknown) {
    const error = 'error' in settlement ? settlement.error : undefined;
    super(error === undefined ? settlement.kind : `${error.code}: ${error.message}`, { cause });
    this.name = 'AttemptFailed';
    this.settlement = settlement;
  }
}
