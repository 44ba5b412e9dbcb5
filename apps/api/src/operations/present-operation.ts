import type { BulkOperation } from '@fairlane/queue';

/** What the API shows of an operation. */
export function presentOperation(operation: BulkOperation) {
  const { id, kind, state, matched, done, failed, by, createdAt } = operation;
  const skipped = operation.kind === 'cancel' ? operation.skipped : undefined;
  return {
    id,
    kind,
    state,
    matched,
    done,
    failed,
    ...(skipped === undefined ? {} : { skipped }),
    by,
    createdAt,
  };
}
