import { route, type Route } from '../http/route.js';
import { cancelOperation } from './cancel-operation.js';
import { getOperation } from './get-operation.js';
import { listOperations } from './list-operations.js';
import { operationList, operationParams, operationView } from './schemas.js';

/** The part of the table that is about changes of many jobs. */
export const operationRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/operations',
    summary:
      'Bulk operations that run now, the newest first; but for operators, those the token has asked for',
    access: ['producer', 'operator'],
    accountTokens: 'narrowed',
    responses: { 200: { description: 'Those that run', schema: operationList } },
    errors: [],
    handler: listOperations,
  }),
  route({
    method: 'get',
    path: '/v1/operations/{id}',
    summary:
      'How far a bulk operation is, until a week after its end; but for operators, of those that the token has asked for',
    access: ['producer', 'operator'],
    accountTokens: 'narrowed',
    params: operationParams,
    responses: { 200: { description: 'The operation', schema: operationView } },
    errors: ['operation_not_found'],
    handler: getOperation,
  }),
  route({
    method: 'post',
    path: '/v1/operations/{id}/cancel',
    summary: 'Stop a bulk operation; what it has done stays done',
    access: ['producer', 'operator'],
    accountTokens: 'narrowed',
    params: operationParams,
    responses: { 200: { description: 'The operation, which runs no more', schema: operationView } },
    errors: ['operation_not_found', 'account_forbidden'],
    handler: cancelOperation,
  }),
];
