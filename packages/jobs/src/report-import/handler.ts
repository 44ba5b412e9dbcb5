import { jobOwner, PAYLOAD_HOLD_MS, type Blobs } from '@fairlane/blobs';
import { implement, type EffectOptions, type HandlerContext } from '@fairlane/sdk';
import { reportImport } from './contract.js';
import { csvRecords, type CsvPosition, type CsvRecord } from './csv-records.js';
import { readHeader } from './header.js';
import { takeSegment, type RowProblem } from './segment.js';

export interface ReportImportDependencies {
  readonly blobs: Pick<Blobs, 'put' | 'read' | 'size'>;
}

/** Most problems that are listed in the result; all of them are counted. */
export const MAX_LISTED_PROBLEMS = 100;
/** Each segment is an effect, of which an attempt may have 256. */
const MAX_SEGMENTS = 200;
const MIN_SEGMENT_BYTES = 1024 * 1024;
/** Largest segment as JSON: quotes and commas around each of many short fields come on top of the file's bytes. */
const MAX_SEGMENT_JSON_BYTES = 64 * 1024 * 1024;
const SEGMENT_TIMEOUT_MS = 5 * 60_000;
/** Storing the same bytes again stores nothing new, whenever that is. */
const KEY_TTL_MS = 365 * 86_400_000;

/** What is known when a segment is stored: all that the next one needs, whichever worker makes it. */
interface Checkpoint {
  readonly next: CsvPosition;
  readonly isLast: boolean;
  readonly source: string;
  readonly rows: number;
  readonly rejected: number;
  readonly problems: readonly RowProblem[];
}

/** Result of an import. */
export interface ImportResult {
  readonly columns: readonly string[];
  readonly rows: number;
  readonly rejected: number;
  /** The first {@link MAX_LISTED_PROBLEMS} lines that were not imported. */
  readonly problems: readonly RowProblem[];
  /** The rows, kept as long as the job: JSON lines, one array a row, the columns first. */
  readonly segments: readonly { readonly source: string; readonly rows: number }[];
}

/**
 * Work of `report.import`: reads a CSV of any size from the blob store and writes its sound rows back as JSON lines,
 * in segments.
 *
 * Each segment is an effect, and what it leaves in the ledger is the checkpoint: on a retry the finished ones are
 * given back without reading a byte, and the file is opened where the first unfinished one begins.
 */
export function createReportImport({ blobs }: ReportImportDependencies) {
  return implement(reportImport, async ({ source }, ctx) => {
    const totalBytes = await blobs.size(source);
    const sourceBytes = Math.max(MIN_SEGMENT_BYTES, Math.ceil(totalBytes / MAX_SEGMENTS));
    const reader = new RecordStream(blobs, source, ctx.signal);
    try {
      const { columns, next: firstRow } = await ctx.effect('header', {
        ...REPEATABLE,
        perform: async () => {
          const start = { byte: 0, line: 1 };
          const record = (await reader.from(start).next()) as IteratorResult<CsvRecord, undefined>;
          return { columns: readHeader(record.value), next: record.value?.next ?? start };
        },
      });

      const segments: ImportResult['segments'][number][] = [];
      const problems: RowProblem[] = [];
      let [at, rows, rejected, isLast] = [firstRow, 0, 0, false];
      while (!isLast) {
        const from = at;
        const maxProblems = MAX_LISTED_PROBLEMS - problems.length;
        const bounds = { columns, sourceBytes, maxProblems };
        const number = segments.length + 1;
        const done = await ctx.effect(`segment-${number}`, {
          ...REPEATABLE,
          perform: async ({ signal }): Promise<Checkpoint> => {
            const { lines, ...segment } = await takeSegment(reader.from(from), from, bounds);
            const owner = jobOwner(ctx.job.id, `segment-${number}`);
            const stored = await blobs.put(lines, {
              owner,
              holdMs: PAYLOAD_HOLD_MS,
              maxBytes: MAX_SEGMENT_JSON_BYTES,
              signal,
            });
            return { ...segment, source: stored.source };
          },
        });
        segments.push({ source: done.source, rows: done.rows });
        problems.push(...done.problems);
        rows += done.rows;
        rejected += done.rejected;
        ({ next: at, isLast } = done);
        await report(ctx, { rows, rejected, bytes: at.byte, totalBytes });
      }
      return { columns, rows, rejected, problems, segments } satisfies ImportResult;
    } finally {
      await reader.close();
    }
  });
}

const REPEATABLE: Pick<EffectOptions<unknown>, 'repeatable' | 'timeoutMs'> = {
  repeatable: { keyTtlMs: KEY_TTL_MS },
  timeoutMs: SEGMENT_TIMEOUT_MS,
};

async function report(
  ctx: HandlerContext,
  { bytes, totalBytes, ...counts }: { bytes: number; totalBytes: number; rows: number; rejected: number },
): Promise<void> {
  const percent = Math.floor((100 * bytes) / Math.max(1, totalBytes));
  await ctx.progress({ percent, bytes, totalBytes, ...counts });
}

/** The file's records, opened when they are first asked for and read on as long as the positions follow. */
class RecordStream {
  readonly #blobs: Pick<Blobs, 'read'>;
  readonly #source: string;
  readonly #signal: AbortSignal;
  #records: AsyncGenerator<CsvRecord> | undefined;

  constructor(blobs: Pick<Blobs, 'read'>, source: string, signal: AbortSignal) {
    this.#blobs = blobs;
    this.#source = source;
    this.#signal = signal;
  }

  /** Records from a position on. One that is open stands there already: segments are taken in their order. */
  from(position: CsvPosition): AsyncGenerator<CsvRecord> {
    this.#records ??= this.#open(position);
    return this.#records;
  }

  async close(): Promise<void> {
    await this.#records?.return(undefined);
  }

  async *#open(position: CsvPosition): AsyncGenerator<CsvRecord> {
    const body = await this.#blobs.read(this.#source, { start: position.byte, signal: this.#signal });
    yield* csvRecords(body, position);
  }
}
