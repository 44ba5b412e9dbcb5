import type { BulkOperation } from '@fairlane/queue';

/** What the API shows of an operation. */
export function presentOperation(operation: BulkOperation) {
  const { id, kind, state, matched, done, failed, by, createdAt } = operation;
  return { id, kind, state, matched, done, failed, by, createdAt };
}
