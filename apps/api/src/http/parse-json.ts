import { joinPath, type Issue } from './problems.js';

/** Deeper input is refused: what reads it later may recurse. */
export const MAX_DEPTH = 64;

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issue: Issue };

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * JSON from outside: UTF-8, bounded in depth, and without the keys that reach a prototype when a careless
 * reader copies them (`__proto__`, and `constructor` holding `prototype`).
 */
export function parseJson(bytes: Uint8Array): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch (error) {
    // The message of JSON.parse may quote the input; the position says enough.
    const position = error instanceof SyntaxError ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
    const where = position === undefined ? '' : ` (character ${Number(position) + 1})`;
    return { ok: false, issue: { path: '', message: `is not valid JSON in UTF-8${where}` } };
  }
  const issue = findHostile(value);
  return issue ? { ok: false, issue } : { ok: true, value };
}

/** Walks with an own stack, since hostile nesting would overflow the real one. */
function findHostile(root: unknown): Issue | undefined {
  if (typeof root !== 'object' || root === null) return undefined;
  const stack: { value: object; path: string; depth: number }[] = [{ value: root, path: '', depth: 1 }];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { value, path, depth } = entry;
    if (depth > MAX_DEPTH) return { path: '', message: `is nested deeper than ${MAX_DEPTH} levels` };
    const isArray = Array.isArray(value);
    for (const key of Object.keys(value)) {
      const child = (value as Record<string, unknown>)[key];
      if (!isArray && isPrototypeKey(key, child))
        return { path: joinPath(path, key), message: 'is not allowed as a key' };
      if (typeof child !== 'object' || child === null) continue;
      stack.push({ value: child, path: isArray ? `${path}[${key}]` : joinPath(path, key), depth: depth + 1 });
    }
  }
  return undefined;
}

function isPrototypeKey(key: string, child: unknown): boolean {
  if (key === '__proto__') return true;
  return (
    key === 'constructor' && typeof child === 'object' && child !== null && Object.hasOwn(child, 'prototype')
  );
}
