/** What is stored as a job's data. */
export interface Envelope {
  /** Version of the contract that wrote the payload. */
  readonly v: number;
  /** The payload. */
  readonly p: unknown;
}

/** Deeper JSON is not parsed: printing it again for a person would overflow the stack. */
const MAX_DEPTH = 200;

/** Stored job data as a value, or undefined where it cannot be parsed or is nested too deep. */
export function parseJobData(text: string): { readonly value: unknown } | undefined {
  if (isTooDeep(text)) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

export function isEnvelope(value: unknown): value is Envelope {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, 'p') &&
    Number.isSafeInteger((value as Envelope).v) &&
    (value as Envelope).v >= 1
  );
}

/** Counts brackets outside strings; stops at the first that is too deep. */
export function isTooDeep(text: string): boolean {
  if (text.length <= 2 * MAX_DEPTH) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === 0x5c) at += 1;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x5b || char === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (char === 0x5d || char === 0x7d) depth -= 1;
  }
  return false;
}
