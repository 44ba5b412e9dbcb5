import type { BulkOperation, Operations } from '../../src/index.js';
import type { BulkOutcome } from '../../src/operations/bulk/bulk-operation.js';
import { until } from './until.js';

/** The operation that a request has started. */
export function started<O extends BulkOperation>(outcome: BulkOutcome<O>): O {
  if (outcome.outcome !== 'started') throw new Error(`not started: ${outcome.outcome}`);
  return outcome.operation;
}

/** Waits until runners are through with an operation. */
export async function ended(operations: Operations, id: string): Promise<BulkOperation> {
  return until(`operation ${id} has ended`, async () => {
    const operation = await operations.operation(id);
    return operation?.state === 'running' ? undefined : operation;
  });
}
