/**
 * A value as it comes back from storage: JSON, so a `Date` is a text and a `Map` is empty. What JSON cannot hold
 * becomes null; by then the work is done and must not be repeated for the sake of its result (A24).
 */
export function storable(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null') as unknown;
  } catch {
    return null;
  }
}
