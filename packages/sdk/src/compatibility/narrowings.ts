import { isDeepStrictEqual } from 'node:util';
import { resolveRef, type PayloadSchema } from '../schema/payload-schema.js';
import { valueNarrowings } from './value-narrowings.js';

/**
 * What values of one JSON Schema another one refuses, each as `path: reason`; empty where it takes them all. Knows what
 * zod writes. In doubt it names a difference: it may refuse a change that would do, and never the other way round.
 *
 * @param before what values were written by
 * @param after what they are read by
 */
export function narrowings(before: PayloadSchema, after: PayloadSchema): string[] {
  return new Comparison(before, after).compare(before, after, '');
}

class Comparison {
  readonly #before: PayloadSchema;
  readonly #after: PayloadSchema;
  /** Pairs under comparison: a recursive schema meets itself. */
  readonly #open: [PayloadSchema, PayloadSchema][] = [];

  constructor(before: PayloadSchema, after: PayloadSchema) {
    this.#before = before;
    this.#after = after;
  }

  compare(before: PayloadSchema, after: PayloadSchema, path: string): string[] {
    if (this.#open.some(([one, other]) => one === before && other === after)) return [];
    this.#open.push([before, after]);
    try {
      return this.#compare(before, after, path);
    } finally {
      this.#open.pop();
    }
  }

  #compare(before: PayloadSchema, after: PayloadSchema, path: string): string[] {
    if (before.$ref !== undefined) {
      return this.compare(resolveRef(this.#before, before.$ref) ?? {}, after, path);
    }
    if (after.$ref !== undefined) {
      return this.compare(before, resolveRef(this.#after, after.$ref) ?? {}, path);
    }
    if (after.not !== undefined && !isDeepStrictEqual(before.not, after.not)) {
      return [at(path, 'has an exclusion that it had not')];
    }
    if (after.allOf !== undefined) return after.allOf.flatMap((part) => this.compare(before, part, path));
    const were = alternativesOf(before);
    if (were !== undefined) return were.flatMap((one) => this.compare(one, after, path));
    const may = alternativesOf(after);
    if (may !== undefined) return this.#best(may.map((one) => this.compare(before, one, path)));
    if (before.allOf !== undefined) {
      // A value fits all parts, so one that `after` takes is enough.
      return this.#best(before.allOf.map((part) => this.compare(part, after, path)));
    }
    const differences = valueNarrowings(before, after).map((reason) => at(path, reason));
    if (differences.length > 0) return differences;
    return [...this.#members(before, after, path), ...this.#items(before, after, path)];
  }

  /** Of alternatives that will do each the one that refuses least. */
  #best(alternatives: string[][]): string[] {
    return alternatives.toSorted((one, other) => one.length - other.length)[0] ?? [];
  }

  #members(before: PayloadSchema, after: PayloadSchema, path: string): string[] {
    if (after.type !== 'object') return [];
    const within = (name: string) => (path === '' ? name : `${path}.${name}`);
    const had = before.properties ?? {};
    const has = after.properties ?? {};
    const required = (after.required ?? []).filter((name) => !before.required?.includes(name));
    const found = required.map((name) => at(within(name), 'is required, and was not'));
    for (const [name, was] of Object.entries(had)) {
      found.push(...this.#member(was, has[name] ?? others(after), within(name)));
    }
    if (others(before) === false) return found;
    const was = asSchema(others(before));
    for (const [name, is] of Object.entries(has)) {
      if (had[name] === undefined) found.push(...this.#member(was, is, within(name)));
    }
    found.push(...this.#member(was, others(after), within('*')));
    if (after.propertyNames !== undefined) {
      found.push(
        ...this.compare(before.propertyNames ?? { type: 'string' }, after.propertyNames, `${path} names`),
      );
    }
    return found;
  }

  #member(before: PayloadSchema, after: PayloadSchema | boolean, path: string): string[] {
    return after === false
      ? [at(path, 'is not taken any more')]
      : this.compare(before, asSchema(after), path);
  }

  #items(before: PayloadSchema, after: PayloadSchema, path: string): string[] {
    if (after.type !== 'array') return [];
    const places = Math.max(before.prefixItems?.length ?? 0, after.prefixItems?.length ?? 0);
    const found = Array.from({ length: places }, (_none, index) => {
      const was = itemOf(before, index);
      return was === false ? [] : this.#member(asSchema(was), itemOf(after, index), `${path}[${index}]`);
    }).flat();
    const rest = before.items ?? true;
    if (rest !== false) found.push(...this.#member(asSchema(rest), after.items ?? true, `${path}[]`));
    return found;
  }
}

function alternativesOf(schema: PayloadSchema): readonly PayloadSchema[] | undefined {
  const { type } = schema;
  if (typeof type === 'object') return type.map((one) => ({ ...schema, type: one }));
  return schema.anyOf ?? schema.oneOf;
}

/** What members without a schema of their own have to be. */
const others = (schema: PayloadSchema) => schema.additionalProperties ?? true;

const itemOf = (schema: PayloadSchema, index: number) => schema.prefixItems?.[index] ?? schema.items ?? true;

function asSchema(schema: PayloadSchema | boolean): PayloadSchema {
  return typeof schema === 'boolean' ? {} : schema;
}

function at(path: string, reason: string): string {
  return path === '' ? `the payload ${reason}` : `${path}: ${reason}`;
}
