import { readCursor, writeCursor, type Page } from './cursor.js';

/** States of listed jobs. */
export const LISTED_STATES = [
  'active',
  'ready',
  'held',
  'scheduled',
  'retrying',
  'failed',
  'completed',
  'cancelled',
] as const;

/** One of {@link LISTED_STATES}. */
export type ListedState = (typeof LISTED_STATES)[number];

/** A row of the list of jobs, without payload and result. Times are ms since the epoch. */
export interface ListedJob {
  id: string;
  queue: string;
  name: string;
  account: string;
  group: string;
  tag?: string;
  state: ListedState;
  createdAt: number;
  attempts: number;
  processedAt?: number;
  finishedAt?: number;
}

/** Jobs that fit all that is given; an account or a tag is looked up by an index, the rest is compared. */
export interface JobFilter {
  account?: string;
  tag?: string;
  name?: string;
  state?: ListedState;
  /** Any of these. */
  states?: readonly ListedState[];
  queue?: string;
  /** Only jobs created at or after this time, ms. */
  since?: number;
  /** Only jobs created at or before this time, ms. */
  until?: number;
}

/** One source of jobs, newest first: a state in a queue, and how many of it are behind us. */
interface Source {
  queue: string;
  state: string;
  offset: number;
}

/** Reads up to `count` jobs of a source from an offset; `undefined` where a job is gone. */
export type ReadSource = (
  source: { queue: string; state: string },
  by: { kind: '' | 'account' | 'tag'; value: string },
  offset: number,
  count: number,
) => Promise<(ListedJob | undefined)[]>;

const SOURCES: Record<ListedState, readonly string[]> = {
  active: ['active'],
  ready: ['waiting', 'prioritized'],
  held: ['waiting', 'prioritized', 'delayed'],
  scheduled: ['delayed'],
  retrying: ['delayed'],
  failed: ['failed'],
  completed: ['completed'],
  cancelled: ['cancelled'],
};

/** A page reads at most this many jobs, so that a rare filter cannot make it scan for ever. */
const MAX_SCANNED = 2_000;

function matches(job: ListedJob, filter: JobFilter): boolean {
  return (
    (filter.account === undefined || job.account === filter.account) &&
    (filter.tag === undefined || job.tag === filter.tag) &&
    (filter.name === undefined || job.name === filter.name) &&
    (filter.state === undefined || job.state === filter.state) &&
    (filter.states === undefined || filter.states.includes(job.state)) &&
    (filter.since === undefined || job.createdAt >= filter.since) &&
    (filter.until === undefined || job.createdAt <= filter.until)
  );
}

function sourcesOf(filter: JobFilter, queues: readonly string[]): Source[] {
  const states =
    filter.account === undefined && filter.tag !== undefined
      ? ['tagged']
      : [
          ...new Set(
            (filter.state ? [filter.state] : (filter.states ?? LISTED_STATES)).flatMap(
              (state) => SOURCES[state],
            ),
          ),
        ];
  return queues.flatMap((queue) => states.map((state) => ({ queue, state, offset: 0 })));
}

function byOf(filter: JobFilter): { kind: '' | 'account' | 'tag'; value: string } {
  if (filter.account !== undefined) {
    return { kind: 'account', value: filter.account };
  }
  return filter.tag === undefined ? { kind: '', value: '' } : { kind: 'tag', value: filter.tag };
}

/** The head of a source, read in batches. */
class Reader {
  private buffer: (ListedJob | undefined)[] = [];
  private ended = false;

  constructor(
    readonly source: Source,
    private readonly fetch: (offset: number) => Promise<(ListedJob | undefined)[]>,
    private readonly batch: number,
  ) {}

  /** The newest job not taken yet; jobs that are gone are passed over. */
  async head(): Promise<ListedJob | undefined> {
    while (true) {
      while (this.buffer.length > 0) {
        if (this.buffer[0]) {
          return this.buffer[0];
        }
        this.take();
      }
      if (this.ended) {
        return undefined;
      }
      this.buffer = await this.fetch(this.source.offset);
      this.ended = this.buffer.length < this.batch;
    }
  }

  take(): void {
    this.buffer.shift();
    this.source.offset += 1;
  }
}

/** A page of jobs over all queues and states the filter allows, merged, newest first. */
export async function listJobs(
  filter: JobFilter,
  queues: readonly string[],
  limit: number,
  cursor: string | undefined,
  read: ReadSource,
): Promise<Page<ListedJob>> {
  const by = byOf(filter);
  const sources = (readCursor(cursor) as Source[] | undefined) ?? sourcesOf(filter, queues);
  const readers = sources.map(
    (source) => new Reader(source, (offset) => read(source, by, offset, limit), limit),
  );
  const items: ListedJob[] = [];
  let scanned = 0;
  while (items.length < limit && scanned < MAX_SCANNED) {
    let newest: { reader: Reader; job: ListedJob } | undefined;
    for (const reader of readers) {
      const job = await reader.head();
      if (job && (!newest || job.createdAt > newest.job.createdAt)) {
        newest = { reader, job };
      }
    }
    if (!newest) {
      return { items, cursor: null };
    }
    newest.reader.take();
    scanned += 1;
    if (matches(newest.job, filter)) {
      items.push(newest.job);
    }
  }
  return { items, cursor: writeCursor(sources) };
}
