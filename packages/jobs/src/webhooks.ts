// What the API needs to let accounts say where their webhooks go.
export { ForbiddenTargetError } from './guarded-fetch/errors.js';
export { findTarget, MAX_URL_CHARS, type Target, type TargetRules } from './guarded-fetch/target.js';
export type {
  EndpointDisabled,
  PutEndpointOutcome,
  WebhookEndpoint,
  WebhookEndpoints,
} from './webhook-deliver/endpoints.js';
export {
  createRedisWebhookEndpoints,
  MAX_ENDPOINTS,
  type RedisWebhookEndpointsOptions,
} from './webhook-deliver/redis-endpoints.js';
export { isWebhookSecret, newWebhookSecret } from './webhook-deliver/signature.js';
