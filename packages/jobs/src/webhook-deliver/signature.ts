import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** Bounds of the Standard Webhooks specification. */
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

export interface SignedMessage {
  /** The same on every delivery of one event, so that a receiver can drop repeats. */
  readonly id: string;
  /** Of this delivery: receivers refuse old ones. Milliseconds since the epoch. */
  readonly sentAtMs: number;
  readonly body: string;
}

/**
 * Headers of Standard Webhooks 1.0 (https://www.standardwebhooks.com): an HMAC over id, time and body. Any of its
 * libraries verifies it; ours are checked with that library in the tests.
 */
export function signatureHeaders(
  secret: string,
  { id, sentAtMs, body }: SignedMessage,
): Record<string, string> {
  const timestamp = String(Math.floor(sentAtMs / 1_000));
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(32).toString('base64')}`;
}

export function isWebhookSecret(text: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  const { byteLength } = keyOf(text);
  return byteLength >= MIN_SECRET_BYTES && byteLength <= MAX_SECRET_BYTES;
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}
