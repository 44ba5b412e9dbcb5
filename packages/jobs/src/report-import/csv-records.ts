import { isUtf8 } from 'node:buffer';
import { csvFields } from './csv-fields.js';

/** Longest record, line breaks inside quotes included: what must be in memory at once. */
export const MAX_RECORD_BYTES = 64 * 1024;

/** A place in the file between two records, from which reading can begin again. */
export interface CsvPosition {
  readonly byte: number;
  /** Counted from 1. */
  readonly line: number;
}

export interface CsvRecord {
  /** Line that it begins on. */
  readonly line: number;
  /** Undefined where it cannot be read. */
  readonly fields: readonly string[] | undefined;
  /** Why it cannot be read. */
  readonly problem?: string;
  /** Where the next record begins. */
  readonly next: CsvPosition;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Records of a CSV file of any length, in memory that does not grow with it, from a position where one begins.
 *
 * Not a library's parser, for two reasons. Reading must begin again at an exact byte after a crash. And damage must
 * stay where it is: a quote that is opened and never closed spoils one line here, whereas csv-parse (7.0, the
 * reference of the tests) takes the rest of the file for its text, or for an error.
 *
 * A record ends at the first line break before which its quotes are even. Where that leads nowhere, its first line
 * is wrong and the next line begins a record.
 */
export async function* csvRecords(
  chunks: AsyncIterable<Uint8Array>,
  from: CsvPosition,
): AsyncGenerator<CsvRecord> {
  const reader = new RecordReader(from);
  for await (const chunk of chunks) {
    reader.add(chunk);
    for (let record = reader.next(); record !== undefined; record = reader.next()) yield record;
  }
  reader.end();
  for (let record = reader.next(); record !== undefined; record = reader.next()) yield record;
}

/** Cuts bytes that come in chunks into records. */
class RecordReader {
  #buffer: Buffer = Buffer.alloc(0);
  /** Where the next record begins in the buffer. */
  #at = 0;
  #byte: number;
  #line: number;
  /** The line that begins here is too long, and its beginning is gone. */
  #dropped = false;
  #ended = false;

  constructor({ byte, line }: CsvPosition) {
    this.#byte = byte;
    this.#line = line;
  }

  add(chunk: Uint8Array): void {
    this.#buffer = Buffer.concat([this.#buffer.subarray(this.#at), chunk]);
    this.#at = 0;
  }

  end(): void {
    this.#ended = true;
  }

  /** The next record, or undefined until there are more bytes. Empty lines are passed over. */
  next(): CsvRecord | undefined {
    for (;;) {
      const end = this.#lineEnd(this.#at);
      if (end === undefined || (end === this.#at && end === this.#buffer.length && !this.#dropped)) {
        if (this.#buffer.length - this.#at > MAX_RECORD_BYTES) this.#drop();
        return undefined;
      }
      if (this.#dropped || end - this.#at > MAX_RECORD_BYTES) {
        return this.#bad(end, `longer than ${MAX_RECORD_BYTES} bytes`);
      }
      if (this.#textEnd(end) > this.#at) return this.#record(end);
      this.#advance(end);
    }
  }

  /** The record that begins here and whose first line ends at `lineEnd`. */
  #record(lineEnd: number): CsvRecord | undefined {
    let end = lineEnd;
    for (let quotes = this.#countQuotes(this.#at, end); quotes % 2 === 1;) {
      const next = end < this.#buffer.length ? this.#lineEnd(end + 1) : undefined;
      const tooLong = (next ?? this.#buffer.length) - this.#at > MAX_RECORD_BYTES;
      if (next === undefined && !tooLong && !this.#ended) return undefined;
      if (next === undefined || tooLong) return this.#bad(lineEnd, 'a quote is opened and never closed');
      quotes += this.#countQuotes(end, next);
      end = next;
    }
    const bytes = this.#buffer.subarray(this.#at, this.#textEnd(end));
    if (!isUtf8(bytes)) return this.#bad(lineEnd, 'not UTF-8');
    const text = bytes.toString('utf8');
    const fields = csvFields(this.#byte === 0 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
    if (fields === undefined) return this.#bad(lineEnd, 'a quote where none may be');
    const line = this.#line;
    return { line, fields, next: this.#advance(end) };
  }

  #bad(end: number, problem: string): CsvRecord {
    this.#dropped = false;
    const line = this.#line;
    return { line, fields: undefined, problem, next: this.#advance(end) };
  }

  /** Moves behind the line break at `end`. */
  #advance(end: number): CsvPosition {
    const next = Math.min(end + 1, this.#buffer.length);
    for (let at = this.#at; ; this.#line += 1) {
      const found = this.#buffer.indexOf(NEWLINE, at);
      if (found === -1 || found >= next) break;
      at = found + 1;
    }
    this.#byte += next - this.#at;
    this.#at = next;
    return { byte: this.#byte, line: this.#line };
  }

  /** Lets go of what there is of a line that is too long, rather than collect all of it. */
  #drop(): void {
    this.#byte += this.#buffer.length - this.#at;
    this.#at = this.#buffer.length;
    this.#dropped = true;
  }

  /** The first line break from there on; the end of the file counts as one. */
  #lineEnd(from: number): number | undefined {
    const found = this.#buffer.indexOf(NEWLINE, from);
    if (found !== -1) return found;
    return this.#ended ? this.#buffer.length : undefined;
  }

  /** Where the text ends whose line break is at `end`, which may be one of two characters. */
  #textEnd(end: number): number {
    return end > this.#at && this.#buffer[end - 1] === RETURN ? end - 1 : end;
  }

  #countQuotes(from: number, to: number): number {
    let count = 0;
    for (let at = this.#buffer.indexOf(QUOTE, from); at !== -1 && at < to; count += 1) {
      at = this.#buffer.indexOf(QUOTE, at + 1);
    }
    return count;
  }
}
