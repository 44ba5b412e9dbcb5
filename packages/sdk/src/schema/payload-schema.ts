import { z } from 'zod';

/** The part of JSON Schema that zod writes and this package reads. */
export interface PayloadSchema {
  /** Several for a member that may be null. */
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, PayloadSchema>>;
  readonly additionalProperties?: PayloadSchema | boolean;
  readonly items?: PayloadSchema | boolean;
  readonly prefixItems?: readonly PayloadSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly required?: readonly string[];
  readonly propertyNames?: PayloadSchema;
  readonly anyOf?: readonly PayloadSchema[];
  readonly oneOf?: readonly PayloadSchema[];
  readonly allOf?: readonly PayloadSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly multipleOf?: number;
  readonly not?: PayloadSchema;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, PayloadSchema>>;
  /** From `.meta({ sensitive: true })`. */
  readonly sensitive?: unknown;
}

const known = new WeakMap<z.ZodType, PayloadSchema>();

/**
 * JSON Schema of a payload, as a handler gets it.
 *
 * @throws Error for a schema whose values JSON cannot hold (dates, maps) or that changes values by a transform:
 * a stored payload could not be read back by the same schema.
 */
export function payloadSchema(schema: z.ZodType): PayloadSchema {
  let found = known.get(schema);
  if (found === undefined) {
    found = z.toJSONSchema(schema, { io: 'output' }) as PayloadSchema;
    known.set(schema, found);
  }
  return found;
}

/** JSON Schema of what a schema takes: where members have defaults, they may be left out. */
export function acceptedSchema(schema: z.ZodType): PayloadSchema {
  return z.toJSONSchema(schema, { io: 'input' }) as PayloadSchema;
}

/** Follows `#`, `#/$defs/name`; anything else is no reference of zod's. */
export function resolveRef(root: PayloadSchema, ref: string): PayloadSchema | undefined {
  if (ref === '#') return root;
  const name = /^#\/\$defs\/(.+)$/.exec(ref)?.[1];
  return name === undefined ? undefined : root.$defs?.[name];
}
