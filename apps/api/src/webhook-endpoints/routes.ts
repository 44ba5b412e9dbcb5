import { route, type Route } from '../http/route.js';
import { getEndpoint } from './get-endpoint.js';
import { putEndpoint } from './put-endpoint.js';
import { removeEndpoint } from './remove-endpoint.js';
import { endpointBody, endpointParams, endpointView } from './schemas.js';

const path = '/v1/webhook-endpoints/{id}';

/** The part of the table that is about where `webhook.deliver` may send. */
export const webhookEndpointRoutes: readonly Route[] = [
  route({
    method: 'put',
    path,
    summary: 'Say where webhooks of an account may go, or change it',
    access: ['producer', 'operator'],
    accountTokens: 'narrowed',
    params: endpointParams,
    body: { kind: 'json', schema: endpointBody, invalid: 'invalid_request' },
    responses: {
      201: { description: 'Made; the one answer that tells a secret made here', schema: endpointView },
      200: { description: 'Changed', schema: endpointView },
    },
    errors: ['account_forbidden', 'endpoint_conflict', 'forbidden_target', 'too_many_endpoints'],
    handler: putEndpoint,
  }),
  route({
    method: 'get',
    path,
    summary: 'One webhook endpoint, and why it is disabled if it is',
    access: ['producer', 'viewer', 'operator'],
    accountTokens: 'narrowed',
    params: endpointParams,
    responses: { 200: { description: 'The endpoint, its secret masked', schema: endpointView } },
    errors: ['endpoint_not_found'],
    handler: getEndpoint,
  }),
  route({
    method: 'delete',
    path,
    summary: 'Send no more webhooks there',
    access: ['producer', 'operator'],
    accountTokens: 'narrowed',
    params: endpointParams,
    responses: { 204: { description: 'Removed' } },
    errors: ['endpoint_not_found', 'account_forbidden'],
    handler: removeEndpoint,
  }),
];
