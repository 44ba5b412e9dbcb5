import { resolveRef, type PayloadSchema } from './payload-schema.js';

/** Deepest level of a recursive schema that is filled in. */
const MAX_DEPTH = 8;
/** Most samples of one schema. */
const MAX_SAMPLES = 64;
/** What free text of a sample begins with. */
export const SAMPLE_TEXT = 'sample-text';

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['email', 'sample@example.com'],
  ['uri', 'https://example.com/sample'],
  ['uuid', '3f0e6cf5-7d1b-4c1e-9a5e-0d9a1c8a7b11'],
  ['date-time', '2024-01-31T12:00:00Z'],
  ['date', '2024-01-31'],
  ['time', '12:00:00'],
  ['duration', 'P1D'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
]);

/**
 * Payloads of roughly the schema's shape, to try a contract's functions on when it is defined. They differ in one
 * enumerated value or alternative at a time, so that every limit group a payload can name comes up. Refinements and
 * patterns are not solved: a sample may be one that the schema refuses.
 */
export function samplePayloads(root: PayloadSchema): unknown[] {
  const choices: number[] = [];
  const first = fill(root, root, 0, { at: -1, take: 0, seen: choices });
  const samples = [first];
  for (const [at, count] of choices.entries()) {
    for (let take = 1; take < count && samples.length < MAX_SAMPLES; take += 1) {
      samples.push(fill(root, root, 0, { at, take, seen: [] }));
    }
  }
  return samples;
}

/** Takes the first option everywhere but at choice number `at`; `seen` collects how many options each choice has. */
interface Choosing {
  readonly at: number;
  readonly take: number;
  readonly seen: number[];
}

function choose<T>(options: readonly T[], choosing: Choosing): T | undefined {
  const index = choosing.seen.push(options.length) - 1;
  return options[index === choosing.at ? choosing.take : 0];
}

function fill(schema: PayloadSchema, root: PayloadSchema, depth: number, choosing: Choosing): unknown {
  if (depth > MAX_DEPTH) return null;
  const inner = (next: PayloadSchema | undefined) => fill(next ?? {}, root, depth + 1, choosing);
  if (schema.$ref !== undefined) return inner(resolveRef(root, schema.$ref));
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return choose(schema.enum, choosing);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return inner(choose(alternatives, choosing));
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map(inner));
  switch (schema.type) {
    case 'object':
      return fillObject(schema, inner);
    case 'array':
      return fillArray(schema, inner);
    case 'number':
    case 'integer':
      return fillNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return FORMATS.get(schema.format ?? '') ?? SAMPLE_TEXT.padEnd(schema.minLength ?? 0, '.');
  }
}

function fillObject(schema: PayloadSchema, inner: (schema?: PayloadSchema) => unknown): object {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => [name, inner(member)]);
  const extra = schema.additionalProperties;
  if (members.length === 0 && typeof extra === 'object') members.push(['sample', inner(extra)]);
  return Object.fromEntries(members) as object;
}

function fillArray(schema: PayloadSchema, inner: (schema?: PayloadSchema) => unknown): unknown[] {
  if (schema.prefixItems !== undefined) return schema.prefixItems.map(inner);
  return schema.maxItems === 0 ? [] : [inner(typeof schema.items === 'object' ? schema.items : undefined)];
}

function fillNumber(schema: PayloadSchema): number {
  if (schema.exclusiveMinimum !== undefined) return Math.floor(schema.exclusiveMinimum) + 1;
  const low = schema.minimum ?? 1;
  const high = schema.maximum ?? (schema.exclusiveMaximum === undefined ? low : schema.exclusiveMaximum - 1);
  return Math.ceil(Math.min(Math.max(low, 1), high));
}
