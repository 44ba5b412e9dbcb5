import type { z } from 'zod';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { presentOperation } from './present-operation.js';
import { isReachable } from './reach-operation.js';
import type { operationParams } from './schemas.js';

/** `POST /v1/operations/{id}/cancel`: what it has done stays done. One that has ended already is answered as it ended. */
export async function cancelOperation(call: Call<z.output<typeof operationParams>>): Promise<Reply> {
  const { app, params, principal, requestId } = call;
  const known = await app.operations.operation(params.id);
  if (known === undefined || !isReachable(principal, known)) {
    // To a token that is limited to accounts, an operation of others and none are the same.
    throw new Problem(principal.accounts === undefined ? 'operation_not_found' : 'account_forbidden');
  }
  const cancelled = await app.operations.cancelOperation(params.id);
  if (cancelled === undefined) throw new Problem('operation_not_found');
  const { operation, wasRunning } = cancelled;
  const { id, matched, done, failed } = operation;
  if (wasRunning) {
    app.audit({
      principal,
      requestId,
      action: 'cancel_operation',
      target: { operation: id },
      before: { state: 'running' },
      after: { state: operation.state, matched, done, failed },
    });
  }
  return { status: 200, body: presentOperation(operation) };
}
