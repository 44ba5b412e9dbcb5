import type { OpenAPIRegistry, ZodMediaTypeObject } from '@asteasolutions/zod-to-openapi';
import type { Catalogue, JobContract } from '@fairlane/sdk';
import { z } from 'zod';

export type SchemaObject = Exclude<ZodMediaTypeObject['schema'], z.ZodType | undefined>;

/**
 * Adds a schema for the payload of each job and answers with one for any of them. Made by zod itself: payloads are
 * written by product teams, and zod-to-openapi never comes back from a recursive schema such as `z.json()`.
 */
export function registerPayloads(registry: OpenAPIRegistry, { jobs }: Catalogue): SchemaObject {
  const refs = jobs.map((contract) => {
    registry.registerComponent('schemas', contract.name, payloadSchema(contract));
    return { $ref: pointerTo(contract.name) };
  });
  return refs.length === 1 ? (refs[0] as SchemaObject) : { anyOf: refs };
}

function payloadSchema({ name, payload }: JobContract): SchemaObject {
  const { $schema: _, ...schema } = z.toJSONSchema(payload, { io: 'input', unrepresentable: 'any' });
  return moveRefs({ title: name, ...schema }, pointerTo(name)) as SchemaObject;
}

/** Zod's references start at the schema's own root, which now lies inside the document. */
function moveRefs(node: unknown, root: string): unknown {
  if (Array.isArray(node)) return node.map((item) => moveRefs(item, root));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) =>
      key === '$ref' && typeof value === 'string' && value.startsWith('#')
        ? [key, root + value.slice(1)]
        : [key, moveRefs(value, root)],
    ),
  );
}

function pointerTo(name: string): string {
  return `#/components/schemas/${name}`;
}
