import { ownKeyOfBase } from '@fairlane/lanes';
import type { FairlaneBackend } from '../backend/fairlane-backend.js';
import { PLAIN_SCRIPTS } from '../scripts/commands.js';

/** Which dead letters; all that is given must hold. */
export interface DeadFilter {
  readonly account?: string;
  readonly queue?: string;
  readonly name?: string;
  readonly tag?: string;
  readonly code?: string;
  /** Dead since this time or later, ms. */
  readonly since?: number;
  /** Dead at this time or earlier, ms: what dies later stays out. */
  readonly until?: number;
}

/** A dead letter with as much of its job as was asked for. */
export interface DeadRow {
  readonly queue: string;
  readonly id: string;
  readonly diedAtMs: number;
  readonly code: string;
  /** Of the fields that were asked for, in their order; '' where one is missing. */
  readonly values: readonly string[];
}

export interface DeadRows {
  readonly rows: readonly DeadRow[];
  /** Null at the end. */
  readonly cursor: string | null;
  /** Dead letters that were looked at. */
  readonly looked: number;
}

export interface DeadRowsRequest {
  readonly filter: DeadFilter;
  /** Most rows. */
  readonly limit: number;
  /** From the previous page of the same filter. */
  readonly cursor?: string | undefined;
  /** Of the job's hash. Without any a row is small, whatever the job holds. */
  readonly fields?: readonly string[];
}

/** A page looks at about this many dead letters at most, so that a rare filter cannot make it read for ever. */
export const MAX_SCANNED = 2_000;
/** Letters of one queue that one script looks at: about 2 ms of Redis. */
const MAX_LOOKED_AT_ONCE = 200;

/** Where a page ended in the order of ends; ids decide within a millisecond. */
interface Place {
  readonly diedAtMs: number;
  readonly id: string;
}

/**
 * A page of dead letters over all queues, the latest first. It may be shorter than asked for, even empty: what a rare
 * filter leaves is looked for among a bounded number, and the cursor goes on from there. Letters that are replayed,
 * purged or added between two pages shift nothing.
 */
export async function readDeadRows(
  backends: readonly FairlaneBackend[],
  request: DeadRowsRequest,
): Promise<DeadRows> {
  const { filter, limit } = request;
  const start = earlier(readCursor(request.cursor), filter.until);
  const sources = backends
    .filter(({ queueName }) => filter.queue === undefined || filter.queue === queueName)
    .map((backend) => new Source(backend, request, start));
  const rows: DeadRow[] = [];
  let looked = 0;
  for (;;) {
    const unread = sources.filter((source) => source.isUnread);
    if (looked >= MAX_SCANNED && unread.length > 0) break;
    const counts = await Promise.all(unread.map(async (source) => source.read()));
    looked += counts.reduce((sum, count) => sum + count, 0);
    takeInOrder(sources, rows, limit);
    const last = rows.at(-1);
    if (rows.length === limit && last !== undefined) return { rows, cursor: writeCursor(last), looked };
    if (sources.every((source) => source.isDone)) return { rows, cursor: null, looked };
  }
  const horizon = horizonOf(sources);
  return { rows, cursor: horizon === undefined ? null : writeCursor(horizon), looked };
}

/** One queue's dead letters, looked at in batches. */
class Source {
  readonly #backend: FairlaneBackend;
  readonly #key: string;
  readonly #args: (string | number)[];
  /** Up to here all that match are in the rows, or were. */
  place: Place | undefined;
  isEnd = false;
  rows: DeadRow[] = [];

  constructor(
    backend: FairlaneBackend,
    { filter, limit, fields = [] }: DeadRowsRequest,
    place: Place | undefined,
  ) {
    const { account, name, tag, code, since } = filter;
    const base = backend.toKey('');
    this.#backend = backend;
    this.#key = account === undefined ? `${base}failed` : `${ownKeyOfBase(base)}:x:f:${account}`;
    // What is looked at matches, unless one of these is given.
    const isSifted = name !== undefined || tag !== undefined || code !== undefined;
    const count = isSifted ? MAX_LOOKED_AT_ONCE : Math.min(limit, MAX_LOOKED_AT_ONCE);
    this.#args = [count, JSON.stringify({ name, tag, code, since }), ...fields];
    this.place = place;
  }

  get isUnread(): boolean {
    return this.rows.length === 0 && !this.isEnd;
  }

  get isDone(): boolean {
    return this.rows.length === 0 && this.isEnd;
  }

  /** @returns how many letters were looked at. */
  async read(): Promise<number> {
    const { diedAtMs = '', id = '' } = this.place ?? {};
    const args = [this.#key, this.#backend.toKey(''), diedAtMs, id, ...this.#args];
    const client = await this.#backend.client;
    const [isEnd, looked, [lastAt, lastId], found] = (await client.runCommand(
      PLAIN_SCRIPTS.deadPage.name,
      args,
    )) as [0 | 1, number, [string, string], [string, string, string, ...string[]][]];
    if (looked > 0) this.place = { diedAtMs: Math.trunc(Number(lastAt)), id: lastId };
    this.isEnd = isEnd === 1;
    const queue = this.#backend.queueName;
    this.rows = found.map(([rowId, diedAt, code, ...values]) => {
      return { queue, id: rowId, diedAtMs: Math.trunc(Number(diedAt)), code, values };
    });
    return looked;
  }
}

/** Moves to `rows` what no unread letter of any queue can come before. */
function takeInOrder(sources: readonly Source[], rows: DeadRow[], limit: number): void {
  const horizon = horizonOf(sources);
  while (rows.length < limit) {
    let latest: Source | undefined;
    for (const source of sources) {
      const [head] = source.rows;
      if (head === undefined) continue;
      if (latest === undefined || isLater(head, latest.rows[0] as DeadRow)) latest = source;
    }
    const head = latest?.rows[0];
    if (head === undefined || (horizon !== undefined && isLater(horizon, head))) return;
    rows.push(head);
    latest?.rows.shift();
  }
}

/** To where all queues have been looked through; undefined where they are to their ends. */
function horizonOf(sources: readonly Source[]): Place | undefined {
  let horizon: Place | undefined;
  for (const { isEnd, place } of sources) {
    if (isEnd || place === undefined) continue;
    if (horizon === undefined || isLater(place, horizon)) horizon = place;
  }
  return horizon;
}

function isLater(one: Place, other: Place): boolean {
  return one.diedAtMs === other.diedAtMs ? one.id > other.id : one.diedAtMs > other.diedAtMs;
}

/** Where to go on: from the last page, but never after `until`. Ids are letters and digits: all come before `~`. */
function earlier(place: Place | undefined, until: number | undefined): Place | undefined {
  if (until === undefined || (place !== undefined && place.diedAtMs <= until)) return place;
  return { diedAtMs: until, id: '~' };
}

function writeCursor({ diedAtMs, id }: Place): string {
  return Buffer.from(`${diedAtMs}:${id}`).toString('base64url');
}

/** A broken one starts from the beginning. */
function readCursor(cursor: string | undefined): Place | undefined {
  const [, diedAtMs, id] = /^(\d{1,16}):(.+)$/s.exec(Buffer.from(cursor ?? '', 'base64url').toString()) ?? [];
  return id === undefined ? undefined : { diedAtMs: Number(diedAtMs), id };
}
