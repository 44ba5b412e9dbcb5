/** Deeper values count as unreadable: serialising or masking them could exhaust the stack (A23). */
const maxNesting = 200;

export type JsonText = { readable: true; value: unknown } | { readable: false };

export function readJson(text: string | undefined): JsonText {
  if (text === undefined || nestingOf(text) > maxNesting) return { readable: false };
  try {
    return { readable: true, value: JSON.parse(text) };
  } catch {
    return { readable: false };
  }
}

/** How deep brackets nest outside strings, in one pass and without recursion. */
function nestingOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]+|\\.)*"?|[[{]|[\]}]/gs)) {
    if (token === '[' || token === '{') {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (token === ']' || token === '}') {
      depth -= 1;
    }
  }
  return deepest;
}
