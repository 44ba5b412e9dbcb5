import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { isWebhookSecret, newWebhookSecret, signatureHeaders } from './signature.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('the signature', () => {
  it.each(['{"text":"größer 🎉"}', '', 'x'.repeat(1_000_000)])(
    "is taken by the receivers' own library",
    (body) => {
      const headers = signatureHeaders(secret, { id: 'evt_1', sentAtMs: Date.now(), body });
      expect(() => new Webhook(secret).verify(body, headers, { jsonParse: false })).not.toThrow();
    },
  );

  it('is the one that library makes', () => {
    const sentAtMs = 1_614_265_330_999;
    const body = '{"test": 2432232314}';
    expect(signatureHeaders(secret, { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', sentAtMs, body })).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      // From the test vectors of the specification.
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it.each([
    ['another body', { body: '{}' }],
    ['another id', { id: 'evt_2' }],
    ['another secret', { secret: newWebhookSecret() }],
    ['an old one', { sentAtMs: Date.now() - 6 * 60_000 }],
  ])('is refused for %s', (_what, changes) => {
    const message = { id: 'evt_1', sentAtMs: Date.now(), body: '{"a":1}', secret };
    const sent = { ...message, ...changes };
    const headers = { ...signatureHeaders(sent.secret, sent), 'webhook-id': message.id };
    expect(() => new Webhook(secret).verify(message.body, headers)).toThrow(/signature|too old/i);
  });
});

describe('a secret', () => {
  it('is taken when it was made here, and by the library', () => {
    const made = newWebhookSecret();
    expect(isWebhookSecret(made)).toBe(true);
    expect(() => new Webhook(made)).not.toThrow();
    expect(newWebhookSecret()).not.toBe(made);
  });

  it.each([
    '',
    'whsec_',
    'whsec_c2hvcnQ=',
    'secret',
    'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    `whsec_${'A'.repeat(200)}`,
  ])('is not taken: %j', (text) => {
    expect(isWebhookSecret(text)).toBe(false);
  });
});
