/** Deepest nesting a payload may have; beyond it recursion in any reader would be at risk. */
export const MAX_PAYLOAD_DEPTH = 64;

/**
 * JSON text with sorted keys: equal for two payloads exactly when their JSON values are equal.
 * Follows `JSON.stringify` in what it leaves out (`undefined` members) and what it calls null (`NaN`).
 *
 * @throws TypeError for a value that JSON cannot hold, RangeError beyond {@link MAX_PAYLOAD_DEPTH} or for a cycle.
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > MAX_PAYLOAD_DEPTH) throw new RangeError(`nested deeper than ${MAX_PAYLOAD_DEPTH} levels`);
  if (value === null || typeof value !== 'object') {
    const text = typeof value === 'bigint' ? undefined : JSON.stringify(value);
    if (text === undefined) throw new TypeError(`a ${typeof value} is not a JSON value`);
    return text;
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => (item === undefined ? 'null' : canonicalJson(item, depth + 1))).join(',')}]`;
  }
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return canonicalJson(value.toJSON(), depth + 1);
  let members = '';
  // Sorted by code units, as an order of language would depend on the machine.
  for (const name of Object.keys(value).toSorted()) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member, depth + 1)}`;
  }
  return `{${members}}`;
}
