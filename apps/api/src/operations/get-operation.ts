import type { z } from 'zod';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { presentOperation } from './present-operation.js';
import { isReachable } from './reach-operation.js';
import type { operationParams } from './schemas.js';

/** `GET /v1/operations/{id}` */
export async function getOperation(call: Call<z.output<typeof operationParams>>): Promise<Reply> {
  const { app, params, principal } = call;
  const operation = await app.operations.operation(params.id);
  if (operation === undefined || !isReachable(principal, operation)) throw new Problem('operation_not_found');
  return { status: 200, body: presentOperation(operation) };
}
