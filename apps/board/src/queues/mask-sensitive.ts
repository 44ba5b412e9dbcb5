import type { z } from 'zod';

export const MASK = '***';

/**
 * A payload with every field marked `.meta({ sensitive: true })` replaced. What the schema does not describe
 * (a field of an older version, a value of another shape) is replaced too: nothing vouches for it.
 */
export function maskSensitive(schema: z.ZodType, value: unknown): unknown {
  return mask(schema as unknown as Schema, value);
}

/** The parts of a zod schema that lead to its fields. */
interface Schema {
  meta(): { sensitive?: unknown } | undefined;
  def: {
    type: string;
    shape?: Record<string, Schema>;
    element?: Schema;
    items?: Schema[];
    rest?: Schema | null;
    valueType?: Schema;
    innerType?: Schema;
    getter?: () => Schema;
    options?: Schema[];
    left?: Schema;
    right?: Schema;
    in?: Schema;
    out?: Schema;
  };
}

const scalars = new Set([
  'string',
  'number',
  'int',
  'boolean',
  'null',
  'literal',
  'enum',
  'template_literal',
]);

function mask(schema: Schema, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  const { def } = schema;
  if (schema.meta()?.sensitive === true) return MASK;
  if (def.innerType) return mask(def.innerType, value);
  if (def.getter) return mask(def.getter(), value);
  if (def.in && def.out) return maskPipe(def.in, def.out, value);
  if (def.options) return maskUnion(def.options, value);
  if (Array.isArray(value)) return value.map((item, index) => maskPart(itemSchema(def, index), item));
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(([key, part]) => [
      key,
      maskPart(fieldSchema(schema, key), part),
    ]);
    return Object.fromEntries(fields) as unknown;
  }
  return scalars.has(def.type) ? value : MASK;
}

function maskPart(schema: Schema | undefined, value: unknown): unknown {
  return schema ? mask(schema, value) : MASK;
}

/** Stored is what came out; a transform describes neither side's fields, so the other side decides. */
function maskPipe(from: Schema, to: Schema, value: unknown): unknown {
  if (from.def.type === 'transform') return mask(to, value);
  if (to.def.type === 'transform') return mask(from, value);
  return mask(to, mask(from, value));
}

/** Shown only where no option hides it: which of them the value was read by is not known here. */
function maskUnion(options: Schema[], value: unknown): unknown {
  const masked = options.map((option) => mask(option, value));
  if (typeof value !== 'object') return masked.includes(value) && !options.some(isSensitive) ? value : MASK;
  const known = masked.filter((candidate) => candidate !== MASK);
  return known.length === 1 && !options.some(isSensitive) ? known[0] : MASK;
}

function isSensitive(schema: Schema): boolean {
  return (
    schema.meta()?.sensitive === true ||
    (schema.def.innerType !== undefined && isSensitive(schema.def.innerType))
  );
}

function itemSchema(def: Schema['def'], index: number): Schema | undefined {
  return def.element ?? def.items?.[index] ?? def.rest ?? undefined;
}

function fieldSchema({ def }: Schema, key: string): Schema | undefined {
  if (def.shape && Object.hasOwn(def.shape, key)) return def.shape[key];
  if (def.left && def.right) return fieldSchema(def.left, key) ?? fieldSchema(def.right, key);
  return def.valueType;
}
