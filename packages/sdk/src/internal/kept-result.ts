import { PermanentError } from '../errors/errors.js';

/** What is kept of an effect's result: its JSON text, nothing for `undefined`, or why it could not be kept. */
export type KeptResult =
  | { readonly kept: 'json'; readonly json: string }
  | { readonly kept: 'nothing' | 'too_large' | 'unserialisable' };

/** Largest result of an effect that is kept, as JSON in UTF-8. A larger one belongs into an object store. */
export const MAX_KEPT_BYTES = 32 * 1024;

const MAX_EXTERNAL_ID_CHARS = 256;

/**
 * What the ledger keeps of a result. The effect has happened by now, so a value that cannot be kept must not
 * fail it (A24): the reason is kept instead.
 */
export function keepResult(value: unknown): KeptResult {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch {
    return { kept: 'unserialisable' };
  }
  if (json === undefined) return { kept: value === undefined ? 'nothing' : 'unserialisable' };
  return Buffer.byteLength(json) > MAX_KEPT_BYTES ? { kept: 'too_large' } : { kept: 'json', json };
}

/**
 * The result of an effect that an earlier attempt has applied. One that could not be kept is asked for.
 *
 * @param ask the outside; undefined where it cannot be asked or does not know.
 * @throws PermanentError where it is lost: the effect is never repeated for its result.
 */
export async function replayResult<T>(
  name: string,
  result: KeptResult,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  if (result.kept === 'json') return JSON.parse(result.json) as T;
  if (result.kept === 'nothing') return undefined as T;
  const found = await ask();
  if (found !== undefined) return found;
  const why = result.kept === 'too_large' ? 'is too large to be kept' : 'is no JSON value';
  throw new PermanentError({ reason: `Effect "${name}" was applied, but its result ${why}.` });
}

/** What the outside calls the effect: the member `id` of its result, where there is one. */
export function externalIdOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const id: unknown = Object.getOwnPropertyDescriptor(value, 'id')?.value;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  return String(id).slice(0, MAX_EXTERNAL_ID_CHARS);
}

/** The result of an effect that a person has called applied: all that is known of it is its id. */
export function resolvedResult(externalId: string | undefined): string {
  return JSON.stringify(externalId === undefined ? {} : { id: externalId });
}
