import { createGeneratorSync } from 'json-schema-faker';
import type { PayloadSchema } from '../../packages/sdk/src/schema/payload-schema.js';

const GENERATED = 12;
/** Longest text of a sample beyond what is required: bounds are compared without samples. */
const MAX_TEXT_CHARS = 24;

/** Payloads that fit a schema, the same each time. A contract may still refuse some, by refinements or formats. */
export function generateSamples(schema: PayloadSchema): unknown[] {
  const short = shortened(schema) as Parameters<ReturnType<typeof createGeneratorSync>['generate']>[0];
  return Array.from({ length: GENERATED }, (_none, index) => {
    // Members that may be left out are left out in every other one.
    const options = { alwaysFakeOptionals: index % 2 === 0, optionalsProbability: 0.2 };
    return createGeneratorSync({ seed: index + 1, refDepthMax: 2, maxItems: 3, ...options }).generate(short);
  });
}

/** The schema with texts that people can read in a file. */
function shortened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shortened);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, shortened(value)]));
  if (copy['type'] === 'string' && copy['pattern'] === undefined && copy['format'] === undefined) {
    const { minLength = 0, maxLength = Infinity } = schema as PayloadSchema;
    return { ...copy, maxLength: Math.max(minLength, Math.min(maxLength, MAX_TEXT_CHARS)) };
  }
  return copy;
}
