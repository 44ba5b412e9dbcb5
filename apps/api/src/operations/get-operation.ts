import type { z } from 'zod';
import { Problem } from '../http/problems.js';
import type { Call, Reply } from '../http/route.js';
import { presentOperation } from './present-operation.js';
import type { operationParams } from './schemas.js';

/** `GET /v1/operations/{id}` */
export async function getOperation({ app, params }: Call<z.output<typeof operationParams>>): Promise<Reply> {
  const operation = await app.operations.operation(params.id);
  if (operation === undefined) throw new Problem('operation_not_found');
  return { status: 200, body: presentOperation(operation) };
}
