import type { JobContract } from '../contract/contract.js';
import { payloadSchema, resolveRef, type PayloadSchema } from '../schema/payload-schema.js';

/** What stands in for a sensitive value. */
export const MASK = '[redacted]';
/** Deepest nesting that is looked into; what lies below is masked as a whole. */
const MAX_DEPTH = 64;

/**
 * Copy of a payload in which every field marked `.meta({ sensitive: true })` reads `[redacted]`, for logs, boards
 * and error reports. Takes any value, also one that the contract would refuse. A value is masked when any shape it
 * may have there is sensitive.
 */
export function maskSensitive(contract: JobContract, payload: unknown): unknown {
  const root = payloadSchema(contract.payload);
  return mask(payload, [root], root, 0);
}

/** Paths of the sensitive fields of a contract, such as `contacts[].phone`; `*` stands for any member of a record. */
export function sensitiveFields(contract: JobContract): string[] {
  const root = payloadSchema(contract.payload);
  const found = new Set<string>();
  collect(root, root, '', new Set(), found);
  return [...found];
}

/** A value against all schemas that may describe it. */
function mask(
  value: unknown,
  schemas: readonly PayloadSchema[],
  root: PayloadSchema,
  depth: number,
): unknown {
  const shapes = schemas.flatMap((schema) => expand(schema, root, new Set()));
  if (shapes.some(isSensitive)) return MASK;
  if (value === null || typeof value !== 'object') return value;
  if (depth >= MAX_DEPTH) return MASK;
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      mask(
        item,
        shapes.flatMap((shape) => itemSchemas(shape, index)),
        root,
        depth + 1,
      ),
    );
  }
  const members = Object.entries(value).map(([name, member]) => {
    return [
      name,
      mask(
        member,
        shapes.flatMap((shape) => memberSchemas(shape, name)),
        root,
        depth + 1,
      ),
    ] as const;
  });
  // Not assignment: a member named __proto__ stays a member.
  return Object.fromEntries(members);
}

function collect(
  schema: PayloadSchema,
  root: PayloadSchema,
  path: string,
  above: ReadonlySet<PayloadSchema>,
  found: Set<string>,
): void {
  for (const shape of expand(schema, root, new Set())) {
    if (isSensitive(shape)) found.add(path);
    if (above.has(shape)) continue;
    const next = new Set(above).add(shape);
    for (const [name, member] of Object.entries(shape.properties ?? {})) {
      collect(member, root, path === '' ? name : `${path}.${name}`, next, found);
    }
    if (typeof shape.additionalProperties === 'object') {
      collect(shape.additionalProperties, root, path === '' ? '*' : `${path}.*`, next, found);
    }
    for (const item of [shape.items, ...(shape.prefixItems ?? [])]) {
      if (typeof item === 'object') collect(item, root, `${path}[]`, next, found);
    }
  }
}

/** The schema itself, what it refers to, and its alternatives. */
function expand(schema: PayloadSchema, root: PayloadSchema, seen: Set<PayloadSchema>): PayloadSchema[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const target = schema.$ref === undefined ? undefined : resolveRef(root, schema.$ref);
  const nested = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  if (target !== undefined) nested.push(target);
  return [schema, ...nested.flatMap((one) => expand(one, root, seen))];
}

function isSensitive(schema: PayloadSchema): boolean {
  return schema.sensitive === true;
}

function itemSchemas(shape: PayloadSchema, index: number): PayloadSchema[] {
  const item = shape.prefixItems?.[index] ?? shape.items;
  return typeof item === 'object' ? [item] : [];
}

function memberSchemas(shape: PayloadSchema, name: string): PayloadSchema[] {
  const own =
    shape.properties !== undefined && Object.hasOwn(shape.properties, name)
      ? shape.properties[name]
      : undefined;
  const member = own ?? shape.additionalProperties;
  return typeof member === 'object' ? [member] : [];
}
