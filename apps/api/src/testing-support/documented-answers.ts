import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from './start-api.js';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/** Compares answers with what the OpenAPI document says, with an implementation of JSON Schema of its own. */
export function readDocument(document: unknown) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const closed = closeObjects(document) as Document;
  ajv.addSchema(closed, 'api');
  const operations = Object.entries(closed.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );

  /** Everything in which an answer differs from its documentation. */
  function differences(path: string, method: string, answer: Answer): string[] {
    const response = closed.paths[path]?.[method]?.responses[answer.status];
    if (response === undefined)
      return [`status ${answer.status} is not documented: ${answer.text.slice(0, 200)}`];
    const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
    if (response.content === undefined) return answer.text === '' ? [] : ['a body that is not documented'];
    if (!Object.hasOwn(response.content, type)) return [`content type ${type} is not documented`];
    if (['text/plain', 'text/html', 'text/event-stream', 'application/octet-stream'].includes(type))
      return [];
    const parts = ['paths', path, method, 'responses', String(answer.status), 'content', type, 'schema'];
    const validate = ajv.compile({ $ref: `api#/${parts.map(pointerPart).join('/')}` });
    const values = type === 'application/x-ndjson' ? answer.text.trimEnd().split('\n') : [answer.text];
    return values.flatMap((text) => {
      const valid = validate(JSON.parse(text));
      return valid ? [] : [`${ajv.errorsText(validate.errors)} in ${text.slice(0, 300)}`];
    });
  }

  return { operations, differences };
}

/** Members that the document does not name count as differences too. */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closeObjects(value)]));
  const isObjectSchema = copy['type'] === 'object' && copy['properties'] !== undefined;
  return isObjectSchema && copy['additionalProperties'] === undefined
    ? { ...copy, unevaluatedProperties: false }
    : copy;
}

function pointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
