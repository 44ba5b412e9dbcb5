const newline = 0x0a;
const carriageReturn = 0x0d;

/** One line without its end; `bytes` undefined when it was longer than allowed. Numbers count from 1. */
export interface Line {
  readonly number: number;
  readonly bytes: Buffer | undefined;
}

/**
 * Cuts a stream of bytes into lines and keeps at most `maxBytes` of one: the rest of a longer line is
 * thrown away as it arrives. Empty lines are counted and left out. Lines come in groups as the bytes came, so
 * that a fast source costs little a line and a slow one waits for nothing.
 */
export async function* splitLines(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line[]> {
  let number = 1;
  let parts: Buffer[] = [];
  let partsBytes = 0;
  let tooLong = false;

  function add(part: Buffer): void {
    if (tooLong) return;
    // One byte more than allowed, for a carriage return at the end.
    if (partsBytes + part.length > maxBytes + 1) {
      tooLong = true;
      parts = [];
      partsBytes = 0;
    } else if (part.length > 0) {
      parts.push(part);
      partsBytes += part.length;
    }
  }

  function take(): Line | undefined {
    let bytes: Buffer | undefined = parts.length === 1 ? parts[0] : Buffer.concat(parts, partsBytes);
    if (bytes?.at(-1) === carriageReturn) bytes = bytes.subarray(0, -1);
    if (tooLong || (bytes && bytes.length > maxBytes)) bytes = undefined;
    const line = bytes?.length === 0 ? undefined : { number, bytes };
    number += 1;
    parts = [];
    partsBytes = 0;
    tooLong = false;
    return line;
  }

  for await (const chunk of source) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line) lines.push(line);
    }
    add(chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  const last = take();
  if (last) yield [last];
}
