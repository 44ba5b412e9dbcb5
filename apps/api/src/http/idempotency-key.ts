import { Problem } from './problems.js';
import type { Call } from './route.js';

const MAX_KEY = 255;

/** The header `Idempotency-Key`, where one was sent. */
export function idempotencyKeyOf({ request }: Pick<Call, 'request'>): string | undefined {
  const key = request.headers['idempotency-key']?.toString();
  if (key === undefined) return undefined;
  if (key.length >= 1 && key.length <= MAX_KEY) return key;
  throw new Problem('invalid_request', { detail: `Idempotency-Key has from 1 to ${MAX_KEY} characters.` });
}
