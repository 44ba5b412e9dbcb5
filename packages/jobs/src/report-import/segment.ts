import type { CsvPosition, CsvRecord } from './csv-records.js';

/** A line of the file that was not imported. */
export interface RowProblem {
  readonly line: number;
  readonly problem: string;
}

/** Sound rows in a row, and the problems among them. */
export interface Segment {
  /** Rows as JSON, one array a line; the first line has the columns. */
  readonly lines: Buffer;
  readonly rows: number;
  readonly rejected: number;
  /** The first of them. */
  readonly problems: readonly RowProblem[];
  /** Where the next segment begins. */
  readonly next: CsvPosition;
  /** There is no next one. */
  readonly isLast: boolean;
}

export interface SegmentBounds {
  readonly columns: readonly string[];
  /** How much of the file goes into a segment. */
  readonly sourceBytes: number;
  readonly maxProblems: number;
}

/**
 * Takes the next segment from a stream of records. The bound is one of the file's bytes, so that where segments begin
 * depends on the file alone, and a segment that is made again after a crash is the same.
 */
export async function takeSegment(
  records: AsyncIterator<CsvRecord>,
  from: CsvPosition,
  { columns, sourceBytes, maxProblems }: SegmentBounds,
): Promise<Segment> {
  const lines = [JSON.stringify(columns)];
  const problems: RowProblem[] = [];
  let rejected = 0;
  let next = from;
  let isLast = false;
  while (next.byte - from.byte < sourceBytes) {
    const record = await records.next();
    if (record.done === true) {
      isLast = true;
      break;
    }
    const problem = problemOf(record.value, columns.length);
    if (problem === undefined) lines.push(JSON.stringify(record.value.fields));
    else {
      rejected += 1;
      if (problems.length < maxProblems) problems.push({ line: record.value.line, problem });
    }
    ({ next } = record.value);
  }
  const rows = lines.length - 1;
  return { lines: Buffer.from(`${lines.join('\n')}\n`), rows, rejected, problems, next, isLast };
}

function problemOf({ fields, problem }: CsvRecord, columnCount: number): string | undefined {
  if (fields === undefined) return problem ?? 'cannot be read';
  if (fields.length === columnCount) return undefined;
  return `has ${fields.length} fields where the header has ${columnCount}`;
}
