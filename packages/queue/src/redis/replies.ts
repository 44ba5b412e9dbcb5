/** The results of a pipeline, in order. @throws the error of the first command that failed. */
export function valuesOf(replies: readonly (readonly [Error | null, unknown])[] | null): unknown[] {
  return (replies ?? []).map(([error, value]) => {
    if (error) throw error;
    return value;
  });
}

/** A flat reply `{ name, value, ... }` as pairs. */
export function pairsOf(flat: readonly unknown[]): [name: string, value: string][] {
  return Array.from({ length: Math.floor(flat.length / 2) }, (_none, at) => [
    String(flat[2 * at]),
    String(flat[2 * at + 1]),
  ]);
}
