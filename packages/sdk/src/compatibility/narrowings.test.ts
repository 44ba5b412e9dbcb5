import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { acceptedSchema, payloadSchema } from '../schema/payload-schema.js';
import { narrowings } from './narrowings.js';

const between = (before: z.ZodType, after: z.ZodType) =>
  narrowings(payloadSchema(before), acceptedSchema(after));

const list: z.ZodType = z.lazy(() => z.object({ value: z.string(), next: list.optional() }));
const shortList: z.ZodType = z.lazy(() => z.object({ value: z.string().max(3), next: shortList.optional() }));
const text = z.object({ a: z.string() });

describe('a schema is no narrower', () => {
  it.each<[string, z.ZodType, z.ZodType]>([
    ['that is the same', z.object({ a: z.json() }), z.object({ a: z.json() })],
    ['with a member more that may be left out', text, text.extend({ b: z.string().optional() })],
    ['with a member more that has a default', text, text.extend({ b: z.int().default(1) })],
    ['with a member less', text.extend({ b: z.string() }), text],
    ['that requires less', text, z.object({ a: z.string().optional() })],
    [
      'with wider bounds',
      z.object({ a: z.string().min(2).max(3) }),
      z.object({ a: z.string().min(1).max(4) }),
    ],
    [
      'with a bound that is met instead',
      z.object({ a: z.number().gt(0) }),
      z.object({ a: z.number().min(0) }),
    ],
    ['with numbers for whole numbers', z.object({ a: z.int() }), z.object({ a: z.number() })],
    ['with a value more', z.object({ a: z.enum(['x']) }), z.object({ a: z.enum(['x', 'y']) })],
    [
      'with texts for some values',
      z.object({ a: z.enum(['x', 'yy']) }),
      z.object({ a: z.string().min(1).max(2) }),
    ],
    ['with an alternative more', text, z.object({ a: z.union([z.int(), z.string()]) })],
    ['with anything', text, z.object({ a: z.json() })],
    [
      'with more items',
      z.object({ a: z.array(z.int()).max(2) }),
      z.object({ a: z.array(z.number()).max(3) }),
    ],
    [
      'with a list for a tuple',
      z.object({ a: z.tuple([z.int(), z.int()]) }),
      z.object({ a: z.array(z.int()) }),
    ],
    ['that meets itself', list, list],
    ['with a record for members', text, z.record(z.string(), z.string())],
  ])('%s', (_what, before, after) => {
    expect(between(before, after)).toEqual([]);
  });
});

describe('a schema is narrower', () => {
  it.each<[string, z.ZodType, z.ZodType, string]>([
    [
      'with a member more that is required',
      text,
      text.extend({ b: z.string() }),
      'b: is required, and was not',
    ],
    ['that takes no other members', text, z.strictObject({}), 'a: is not taken any more'],
    [
      'with a lower bound',
      text,
      z.object({ a: z.string().max(4) }),
      'a: its longest length is 4, and was not bound',
    ],
    [
      'with a bound that is excluded',
      z.object({ a: z.number().min(0) }),
      z.object({ a: z.number().gt(0) }),
      'a: its least value is beyond 0, and was 0',
    ],
    [
      'with a pattern',
      text,
      z.object({ a: z.string().regex(/^x/) }),
      'a: its pattern is ^x, and was not bound',
    ],
    ['with a format', text, z.object({ a: z.email() }), 'a: its format is email, and was not bound'],
    ['of another type', text, z.object({ a: z.int() }), 'a: is integer now, and was string'],
    [
      'of whole numbers only',
      z.object({ a: z.number() }),
      z.object({ a: z.int() }),
      'a: is integer now, and was number',
    ],
    [
      'without a value it had',
      z.object({ a: z.enum(['x', 'y']) }),
      z.object({ a: z.enum(['x']) }),
      'a: "y" is not taken any more',
    ],
    [
      'of values only',
      text,
      z.object({ a: z.literal('x') }),
      'a: is one of "x" now, and was not bound to these',
    ],
    [
      'without an alternative it had',
      z.object({ a: z.union([z.int(), z.string()]) }),
      text,
      'a: is string now, and was integer',
    ],
    [
      'that takes null no more',
      z.object({ a: z.string().nullable() }),
      text,
      'a: is string now, and was null',
    ],
    [
      'of items that are narrower',
      z.object({ a: z.array(text) }),
      z.object({ a: z.array(text.extend({ b: z.int() })) }),
      'a[].b: is required, and was not',
    ],
    [
      'of a record that is narrower',
      z.record(z.string(), z.string()),
      z.record(z.string(), z.string().max(1)),
      '*: its longest length is 1, and was not bound',
    ],
    ['deep in a recursion', list, shortList, 'value: its longest length is 3, and was not bound'],
    [
      'in one of the parts it is made of',
      text,
      z.intersection(text, z.object({ a: z.string().min(2) })),
      'a: its shortest length is 2, and was 0',
    ],
  ])('%s', (_what, before, after, reason) => {
    expect(between(before, after)).toContain(reason);
  });
});

/** Pairs of schemas of one kind, and values some of which they take. */
const span = fc.tuple(fc.nat(2), fc.nat(2));
const texts = span.map(([min, more]) =>
  z
    .string()
    .min(min)
    .max(min + more),
);
const numbers = span.map(([min, more]) =>
  z
    .int()
    .min(min - 1)
    .max(min + more),
);
const choices = fc
  .uniqueArray(fc.constantFrom('', 'x', 'yy'), { minLength: 1 })
  .map((values) => z.enum(values));
const anything = fc.oneof(
  texts,
  numbers,
  choices,
  texts.map((one) => one.nullable()),
  numbers.map((one) => one.optional()),
);
const pair = fc.oneof(...[texts, numbers, choices, anything].map((kind) => fc.tuple(kind, kind)));
const value = fc.oneof(
  fc.constantFrom('', 'x', 'yy', 'xyz', 'wxyz', null, undefined),
  fc.integer({ min: -2, max: 5 }),
);

it('a schema that is called no narrower takes whatever the other took', () => {
  let compared = 0;
  const given = fc.array(fc.record({ a: value }), { minLength: 10, maxLength: 20 });
  fc.assert(
    fc.property(pair, given, ([was, is], values) => {
      const [before, after] = [z.object({ a: was }), z.object({ a: is })];
      if (between(before, after).length > 0) return;
      for (const one of values) {
        const parsed = before.safeParse(one);
        if (!parsed.success) continue;
        compared += 1;
        expect(after.safeParse(parsed.data).success).toBe(true);
      }
    }),
    { seed: 7, numRuns: 1_000 },
  );
  expect(compared).toBeGreaterThan(500);
});
