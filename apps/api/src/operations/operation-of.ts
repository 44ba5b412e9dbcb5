import type { BulkOperation, BulkOutcome } from '@fairlane/queue';
import { retryAfter } from '@fairlane/runtime';
import { Problem } from '../http/problems.js';

/** The operation that a request has started, now or before. @throws Problem where it has started none. */
export function operationOf<O extends BulkOperation>(outcome: BulkOutcome<O>): O {
  if (outcome.outcome === 'conflict') throw new Problem('idempotency_conflict');
  if (outcome.outcome === 'too_many') {
    throw new Problem('too_many_operations', { headers: retryAfter(10_000) });
  }
  return outcome.operation;
}
