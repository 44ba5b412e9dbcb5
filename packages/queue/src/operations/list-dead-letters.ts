import type { Page } from '@fairlane/lanes';
import type { FairlaneBackend } from '../backend/fairlane-backend.js';
import { toJobView, type JobView } from '../views/job-view.js';

/** A job that ended without success, kept for a person. Times are ISO strings. */
export interface DeadLetter extends Pick<
  JobView,
  'id' | 'key' | 'name' | 'queue' | 'account' | 'limitGroup' | 'tag' | 'attempts' | 'createdAt'
> {
  readonly code: string;
  /** One sentence. */
  readonly reason: string;
  /** HTTP status of the outside. */
  readonly status?: number;
  readonly finishedAt: string;
}

/** All that is given must hold. */
export interface DeadLetterFilter {
  readonly account?: string;
  readonly name?: string;
  readonly tag?: string;
  readonly code?: string;
  /** Dead since this time or later, ms. */
  readonly since?: number;
  /** Dead at this time or earlier, ms: what dies later stays out. */
  readonly until?: number;
  /** 1 to 500, default 50. */
  readonly limit?: number;
  /** From the previous page of the same filter. */
  readonly cursor?: string;
}

/** A page looks at this many dead letters at most, so that a rare filter cannot make it read for ever. */
export const MAX_SCANNED = 2_000;
const MAX_PAGE = 500;
const DEFAULT_PAGE = 50;
/** Rows of one queue read at once. */
const MAX_BATCH = 200;

/** Where a page ended in the order of ends; ids decide within a millisecond. */
interface Place {
  readonly diedAtMs: number;
  readonly id: string;
}

interface Entry {
  readonly place: Place;
  /** Undefined where only the id is left. */
  readonly letter: DeadLetter | undefined;
}

/**
 * A page of dead letters over all queues, the latest first. It may be shorter than asked for, even empty: what a rare
 * filter leaves is looked for among a bounded number, and the cursor goes on from there. Letters that are replayed,
 * purged or added between two pages shift nothing.
 */
export async function listDeadLetters(
  backends: readonly FairlaneBackend[],
  filter: DeadLetterFilter,
): Promise<Page<DeadLetter>> {
  const limit = Math.min(Math.max(Math.trunc(filter.limit ?? DEFAULT_PAGE), 1), MAX_PAGE);
  let place = earlier(readCursor(filter.cursor), filter.until);
  const sources = backends.map((backend) => new Source(backend, filter, place, Math.min(limit, MAX_BATCH)));
  const items: DeadLetter[] = [];
  for (let scanned = 0; items.length < limit && scanned < MAX_SCANNED; scanned += 1) {
    const latest = await takeLatest(sources);
    if (latest === undefined) return { items, cursor: null };
    place = latest.place;
    if (latest.letter !== undefined && matches(latest.letter, filter)) items.push(latest.letter);
  }
  return { items, cursor: place === undefined ? null : writeCursor(place) };
}

/** One queue's dead letters, read in batches. */
class Source {
  readonly #backend: FairlaneBackend;
  readonly #account: string | undefined;
  readonly #sinceMs: number;
  readonly #batch: number;
  #place: Place | undefined;
  #entries: Entry[] = [];
  #ended = false;

  constructor(
    backend: FairlaneBackend,
    { account, since = 0 }: DeadLetterFilter,
    place: Place | undefined,
    batch: number,
  ) {
    this.#backend = backend;
    this.#account = account;
    this.#sinceMs = since;
    this.#place = place;
    this.#batch = batch;
  }

  async head(): Promise<Entry | undefined> {
    if (this.#entries.length === 0 && !this.#ended) await this.#read();
    return this.#entries[0];
  }

  take(): void {
    this.#entries.shift();
  }

  async #read(): Promise<void> {
    const rows = await this.#backend.deadPage(this.#account, this.#place, this.#batch);
    const entries = rows.map((row) => readRow(this.#backend.queueName, row));
    this.#place = entries.at(-1)?.place;
    this.#entries = entries.filter(({ place }) => place.diedAtMs >= this.#sinceMs);
    this.#ended = rows.length < this.#batch || this.#entries.length < rows.length;
  }
}

async function takeLatest(sources: readonly Source[]): Promise<Entry | undefined> {
  let latest: { source: Source; entry: Entry } | undefined;
  for (const source of sources) {
    const entry = await source.head();
    if (entry && (latest === undefined || isLater(entry.place, latest.entry.place))) {
      latest = { source, entry };
    }
  }
  latest?.source.take();
  return latest?.entry;
}

function isLater(one: Place, other: Place): boolean {
  return one.diedAtMs === other.diedAtMs ? one.id > other.id : one.diedAtMs > other.diedAtMs;
}

/** Where to go on: from the last page, but never after `until`. Ids are letters and digits: all come before `~`. */
function earlier(place: Place | undefined, until: number | undefined): Place | undefined {
  if (until === undefined || (place !== undefined && place.diedAtMs <= until)) return place;
  return { diedAtMs: until, id: '~' };
}

function matches(letter: DeadLetter, { account, name, tag, code }: DeadLetterFilter): boolean {
  return (
    (account === undefined || letter.account === account) &&
    (name === undefined || letter.name === name) &&
    (tag === undefined || letter.tag === tag) &&
    (code === undefined || letter.code === code)
  );
}

const FIELDS = ['name', 'ln', 'tg', 'timestamp', 'atm', 'opts', 'flErrors'] as const;

function readRow(queue: string, [id = '', diedAt = '', ...values]: readonly string[]): Entry {
  const place = { id, diedAtMs: Math.trunc(Number(diedAt)) };
  const fields = new Map<string, string>(
    FIELDS.flatMap((field, at) => (values[at] ? [[field, values[at]]] : [])),
  );
  if (!fields.has('name') && !fields.has('opts')) return { place, letter: undefined };
  fields.set('finishedOn', String(place.diedAtMs));
  const rest = { heldReason: undefined, nextRunAtMs: undefined, leaseMs: -2, nowMs: 0 };
  return { place, letter: toDeadLetter(toJobView({ id, queue, state: 'dead', fields, ...rest })) };
}

function toDeadLetter(view: JobView): DeadLetter {
  const { id, key, name, queue, account, limitGroup, tag, attempts, createdAt } = view;
  const { lastError, finishedAt = createdAt } = view;
  return {
    id,
    key,
    name,
    queue,
    account,
    limitGroup,
    ...(tag === undefined ? {} : { tag }),
    // Only what others have moved to the dead jobs has no record.
    code: lastError?.code ?? 'unreadable',
    reason: lastError?.message ?? 'no error was recorded',
    ...(lastError?.status === undefined ? {} : { status: lastError.status }),
    attempts,
    createdAt,
    finishedAt,
  };
}

function writeCursor({ diedAtMs, id }: Place): string {
  return Buffer.from(`${diedAtMs}:${id}`).toString('base64url');
}

/** A broken one starts from the beginning. */
function readCursor(cursor: string | undefined): Place | undefined {
  const [, diedAtMs, id] = /^(\d{1,16}):(.+)$/s.exec(Buffer.from(cursor ?? '', 'base64url').toString()) ?? [];
  return id === undefined ? undefined : { diedAtMs: Number(diedAtMs), id };
}
