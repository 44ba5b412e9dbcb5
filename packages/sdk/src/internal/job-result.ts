/** Largest result that is stored with a job; a larger one belongs into an object store, with its address here. */
export const MAX_RESULT_BYTES = 256 * 1024;

/**
 * What is stored of a handler's result. The work is done by then, so a value that JSON cannot hold must neither fail
 * the job nor repeat it (A24): it is replaced by a note.
 */
export function storableResult(value: unknown): unknown {
  if (value === undefined) return null;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    return { unserialisable: error instanceof Error ? error.message.split('\n', 1)[0] : String(error) };
  }
  if (text === undefined) return { unserialisable: `a ${typeof value} is not a JSON value` };
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_RESULT_BYTES) return { tooLarge: true, bytes };
  // Parsed again so that nothing, such as a toJSON with a side effect, can fail at the second serialisation.
  return JSON.parse(text) as unknown;
}
