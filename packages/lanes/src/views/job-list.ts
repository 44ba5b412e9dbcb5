import type { Page } from './cursor.js';
import { placeAfter, readSources, writeSources, type RowPlace, type Source } from './list-places.js';

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

/** Rows of a source behind a place. */
export interface SourcePage {
  readonly rows: readonly {
    readonly id: string;
    readonly place: RowPlace;
    /** Undefined where it is gone. */
    readonly job: ListedJob | undefined;
  }[];
  /** Nothing is behind them. */
  readonly isLast: boolean;
  /** Where there are no rows and it is not the last page: the lane that is through. */
  readonly through?: string;
}

/** Reads up to `count` jobs of a source from behind its place. */
export type ReadSource = (
  source: Readonly<Source>,
  by: { kind: '' | 'account' | 'tag'; value: string },
  count: number,
) => Promise<SourcePage>;

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
  return queues.flatMap((queue) => states.map((state) => ({ queue, state })));
}

function byOf(filter: JobFilter): { kind: '' | 'account' | 'tag'; value: string } {
  if (filter.account !== undefined) {
    return { kind: 'account', value: filter.account };
  }
  return filter.tag === undefined ? { kind: '', value: '' } : { kind: 'tag', value: filter.tag };
}

/** The head of a source, read in batches. */
class Reader {
  private rows: SourcePage['rows'][number][] = [];
  private isLast = false;

  constructor(
    readonly source: Source,
    private readonly fetch: (source: Readonly<Source>) => Promise<SourcePage>,
    private readonly sourceCount: number,
  ) {}

  get isThrough(): boolean {
    return this.isLast && this.rows.length === 0;
  }

  /** The newest job not taken yet; jobs that are gone are passed over. */
  async head(): Promise<ListedJob | undefined> {
    while (true) {
      while (this.rows[0] !== undefined) {
        if (this.rows[0].job) {
          return this.rows[0].job;
        }
        this.take();
      }
      if (this.isLast) {
        return undefined;
      }
      // Ends: each step goes on behind the one before, through jobs or, where it finds none, accounts.
      const page = await this.fetch(this.source);
      this.rows = [...page.rows];
      this.isLast = page.isLast;
      if (page.through !== undefined) {
        this.source.place = { lane: page.through, at: 'end', tail: '', ids: [] };
      }
    }
  }

  take(): void {
    const row = this.rows.shift();
    if (row !== undefined) {
      this.source.place = placeAfter(this.source.place, row, this.sourceCount);
    }
  }
}

/**
 * A page of jobs over all queues and states the filter allows, merged, newest first. Jobs that come and go between two
 * pages shift nothing: what keeps its state, or is listed by tag, is met once. Of a list without state and tag, a job
 * that changes its state meanwhile may be met again on a later page, or be missed. A page names no job twice, though
 * its sources are read one after another and a job that ends in between is found in two of them.
 */
export async function listJobs(
  filter: JobFilter,
  queues: readonly string[],
  limit: number,
  cursor: string | undefined,
  read: ReadSource,
): Promise<Page<ListedJob>> {
  const by = byOf(filter);
  const sources = readSources(cursor) ?? sourcesOf(filter, queues);
  const readers = sources.map(
    (source) => new Reader(source, async (from) => read(from, by, limit), sources.length),
  );
  const items: ListedJob[] = [];
  const met = new Set<string>();
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
    const name = `${newest.job.queue}:${newest.job.id}`;
    if (!met.has(name) && matches(newest.job, filter)) {
      met.add(name);
      items.push(newest.job);
    }
  }
  const left = readers.filter((reader) => !reader.isThrough).map(({ source }) => source);
  return { items, cursor: left.length === 0 ? null : writeSources(left) };
}
