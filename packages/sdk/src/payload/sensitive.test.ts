import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob } from '../contract/define-job.js';
import { maskSensitive, sensitiveFields } from './sensitive.js';

const secret = z.string().meta({ sensitive: true });

function contractOf<S extends z.ZodType>(payload: S) {
  return defineJob({ name: 'probe.run', payload, account: () => 'acme', key: () => ['1'] });
}

const contact = z.object({ name: z.string(), phone: secret });
const contract = contractOf(
  z.object({
    id: z.string(),
    to: secret,
    maybe: secret.optional(),
    none: secret.nullable(),
    wrapped: z.string().optional().meta({ sensitive: true }),
    contacts: z.array(contact),
    pair: z.tuple([z.string(), secret]),
    headers: z.record(z.string(), secret),
    either: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('card'), value: secret }),
      z.object({ kind: z.literal('invoice'), value: z.string() }),
    ]),
    whole: z.object({ a: z.string() }).meta({ sensitive: true }),
    open: z.object({ a: z.string() }).meta({ sensitive: false }),
  }),
);

describe('sensitive fields', () => {
  it('are listed by path', () => {
    expect(sensitiveFields(contract)).toEqual([
      'to',
      'maybe',
      'none',
      'wrapped',
      'contacts[].phone',
      'pair[]',
      'headers.*',
      'either.value',
      'whole',
    ]);
  });

  it('are masked, the rest is kept', () => {
    const masked = maskSensitive(contract, {
      id: '7',
      to: 'ann@example.com',
      none: null,
      wrapped: 'x',
      contacts: [
        { name: 'Ann', phone: '1' },
        { name: 'Bob', phone: '2' },
      ],
      pair: ['left', 'right'],
      headers: { authorization: 'x' },
      either: { kind: 'card', value: '4111' },
      whole: { a: 'x' },
      open: { a: 'x' },
    });
    expect(masked).toEqual({
      id: '7',
      to: '[redacted]',
      none: '[redacted]',
      wrapped: '[redacted]',
      contacts: [
        { name: 'Ann', phone: '[redacted]' },
        { name: 'Bob', phone: '[redacted]' },
      ],
      pair: ['left', '[redacted]'],
      headers: { authorization: '[redacted]' },
      either: { kind: 'card', value: '[redacted]' },
      whole: '[redacted]',
      open: { a: 'x' },
    });
  });

  it('are masked in every alternative of a union', () => {
    expect(maskSensitive(contract, { either: { kind: 'invoice', value: 'x' } })).toEqual({
      either: { kind: 'invoice', value: '[redacted]' },
    });
  });

  it('are masked in recursive shapes at any level', () => {
    interface Node {
      pin: string;
      next?: Node | undefined;
    }
    const node: z.ZodType<Node> = z.lazy(() => z.object({ pin: secret, next: node.optional() }));
    const chain = contractOf(node);
    expect(maskSensitive(chain, { pin: '1', next: { pin: '2', next: { pin: '3' } } })).toEqual({
      pin: '[redacted]',
      next: { pin: '[redacted]', next: { pin: '[redacted]' } },
    });
    expect(sensitiveFields(chain)).toContain('pin');
  });

  it('are masked where a shape is named and used twice', () => {
    const named = contact.meta({ id: 'contact' });
    const twice = contractOf(z.object({ a: named, b: named }));
    expect(sensitiveFields(twice)).toEqual(['a.phone', 'b.phone']);
    expect(maskSensitive(twice, { b: { name: 'Ann', phone: '1' } })).toEqual({
      b: { name: 'Ann', phone: '[redacted]' },
    });
  });

  it.each([undefined, null, 'text', 7, [], ['x'], { contacts: 'x' }, { id: { to: 'x' } }])(
    'leave a value of another shape as it is: %j',
    (value) => {
      expect(maskSensitive(contract, value)).toEqual(value);
    },
  );

  it('A23 hide what is nested too deeply to be looked into', () => {
    const deep: unknown = JSON.parse(`{"id":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    expect(JSON.stringify(maskSensitive(contract, deep))).toContain('[redacted]');
  });

  it('A25 keep a member named __proto__ a member', () => {
    const masked = maskSensitive(contract, JSON.parse('{"__proto__":{"to":"x"},"to":"x"}'));
    expect(JSON.stringify(masked)).toBe('{"__proto__":{"to":"x"},"to":"[redacted]"}');
    expect(Object.getPrototypeOf(masked)).toBe(Object.prototype);
  });

  it('can be the payload itself', () => {
    expect(maskSensitive(contractOf(secret), 'x')).toBe('[redacted]');
    expect(sensitiveFields(contractOf(secret))).toEqual(['']);
  });

  it('do not change the payload that is masked', () => {
    const payload = { to: 'ann@example.com', contacts: [{ phone: '1' }] };
    maskSensitive(contract, payload);
    expect(payload).toEqual({ to: 'ann@example.com', contacts: [{ phone: '1' }] });
  });
});
