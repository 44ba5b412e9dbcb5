import type { PayloadSchema } from '../schema/payload-schema.js';

/** What keeps values of one schema from the other, members and items left aside. */
export function valueNarrowings(before: PayloadSchema, after: PayloadSchema): string[] {
  const values = valuesOf(before);
  const allowed = valuesOf(after);
  if (allowed !== undefined) {
    if (values === undefined) return [`is one of ${list(allowed)} now, and was not bound to these`];
    const refused = values.filter((value) => !allowed.includes(value));
    return refused.length === 0
      ? []
      : [`${list(refused)} ${refused.length === 1 ? 'is' : 'are'} not taken any more`];
  }
  // A few values against a shape: each of them has its type, and its bounds are looked at as those of any value.
  if (values !== undefined) return values.flatMap((value) => valueNarrowings(shapeOf(value), after));
  if (after.type === undefined) return [];
  if (before.type !== after.type && !(before.type === 'integer' && after.type === 'number')) {
    return [`is ${String(after.type)} now, and was ${String(before.type ?? 'anything')}`];
  }
  return [...texts(before, after), ...numbers(before, after), ...lists(before, after)];
}

function texts(before: PayloadSchema, after: PayloadSchema): string[] {
  return [
    ...bounded('shortest length', 'low', including(before.minLength ?? 0), including(after.minLength)),
    ...bounded('longest length', 'high', including(before.maxLength), including(after.maxLength)),
    ...changed('format', before.format, after.format),
    // A format's pattern is zod's own and may be written in another way by its next version.
    ...(after.format === undefined ? changed('pattern', before.pattern, after.pattern) : []),
  ];
}

function numbers(before: PayloadSchema, after: PayloadSchema): string[] {
  return [
    ...bounded('least value', 'low', lowest(before), lowest(after)),
    ...bounded('greatest value', 'high', highest(before), highest(after)),
    ...changed('step', before.multipleOf, after.multipleOf),
  ];
}

function lists(before: PayloadSchema, after: PayloadSchema): string[] {
  return [
    ...bounded('least number of items', 'low', including(before.minItems ?? 0), including(after.minItems)),
    ...bounded('greatest number of items', 'high', including(before.maxItems), including(after.maxItems)),
    ...changed('rule of unique items', before.uniqueItems, after.uniqueItems),
  ];
}

interface Bound {
  readonly value: number;
  /** The value itself is beyond it. */
  readonly isExcluded: boolean;
}

function including(value: number | undefined): Bound | undefined {
  return value === undefined ? undefined : { value, isExcluded: false };
}

function excluding(value: number | undefined): Bound | undefined {
  return value === undefined ? undefined : { value, isExcluded: true };
}

const lowest = (schema: PayloadSchema) => excluding(schema.exclusiveMinimum) ?? including(schema.minimum);
const highest = (schema: PayloadSchema) => excluding(schema.exclusiveMaximum) ?? including(schema.maximum);

function bounded(
  what: string,
  side: 'low' | 'high',
  before: Bound | undefined,
  after: Bound | undefined,
): string[] {
  if (after === undefined) return [];
  if (before !== undefined) {
    const inner = side === 'low' ? before.value - after.value : after.value - before.value;
    if (inner > 0 || (inner === 0 && (before.isExcluded || !after.isExcluded))) return [];
  }
  return [`its ${what} is ${words(after)}, and was ${words(before)}`];
}

function words(bound: Bound | undefined): string {
  if (bound === undefined) return 'not bound';
  return bound.isExcluded ? `beyond ${bound.value}` : String(bound.value);
}

function changed<T>(what: string, before: T | undefined, after: T | undefined): string[] {
  if (after === undefined || after === before) return [];
  return [`its ${what} is ${String(after)}, and was ${before === undefined ? 'not bound' : String(before)}`];
}

function valuesOf(schema: PayloadSchema): readonly unknown[] | undefined {
  return 'const' in schema ? [schema.const] : schema.enum;
}

/** The narrowest shape that a single value has. */
function shapeOf(value: unknown): PayloadSchema {
  if (typeof value === 'string') return { type: 'string', minLength: value.length, maxLength: value.length };
  if (typeof value === 'number') {
    return { type: Number.isInteger(value) ? 'integer' : 'number', minimum: value, maximum: value };
  }
  return { type: value === null ? 'null' : typeof value };
}

function list(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}
