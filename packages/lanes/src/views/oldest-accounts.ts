import { readCursor, writeCursor, type Page } from './cursor.js';

/** A row of the list of accounts, over all queues. */
export interface AccountSummary {
  account: string;
  /** Waiting jobs of all its lanes. */
  waiting: number;
  /** Age of the oldest job that could run now; null when all are held. */
  oldestEligibleAgeMs: number | null;
  oldestWaitingAgeMs: number;
}

/** A lane with waiting jobs. */
export interface WaitingLane {
  readonly account: string;
  readonly group: string;
  /** Since when its oldest job could have run, but for its gate, ms since the epoch. */
  readonly since: number;
  readonly waiting: number;
  readonly held: boolean;
}

/** Lanes read from an index that holds empty ones, too. */
export interface LanePage {
  readonly lanes: readonly WaitingLane[];
  /** Entries of the index that were looked at; as many as were asked for while there may be more. */
  readonly entries: number;
  /** Time of the last one, ms, and how many have it; '' where there is none. */
  readonly last: number | '';
  readonly sameCount: number;
}

/** Reads lanes of the queues. */
export interface LaneSource {
  readonly queues: readonly string[];
  readonly nowMs: number;
  /** Lanes that wait since a time or later, the longest first, but for some of them; at least those that are `held`. */
  from(
    queue: string,
    held: boolean,
    place: { readonly since: number | ''; readonly skip: number },
    count: number,
  ): Promise<LanePage>;
  /** Lanes of these accounts. */
  of(queue: string, accounts: readonly string[]): Promise<readonly WaitingLane[]>;
}

/** Where a page ended: first come the accounts with a job that could run, then those that are held altogether. */
interface Place {
  readonly held: boolean;
  readonly since: number;
  readonly account: string;
}

const BATCH = 200;
/** A page looks at this many lanes at most. */
const MAX_SCANNED = 4_000;

/**
 * Accounts with waiting jobs, those with the oldest job that could run first, held ones last. The place of a page is
 * the time and name it ended at, so accounts that come and go between two pages shift nothing; one that is served or
 * held meanwhile has another place from then on. A page may be shorter than asked for.
 */
export async function listOldestAccounts(
  source: LaneSource,
  limit: number,
  cursor: string | undefined,
): Promise<Page<AccountSummary>> {
  const items: AccountSummary[] = [];
  let place = readPlace(cursor);
  for (const held of place?.held === true ? [true] : [false, true]) {
    const walk = new Walk(source, held, place?.held === held ? place : undefined);
    for (;;) {
      const met = await walk.next(limit - items.length);
      const known = await summaries(source, [...new Set(met.map(({ account }) => account))]);
      if (walk.last !== undefined) place = { held, since: walk.last.since, account: walk.last.account };
      for (const lane of met) {
        const summary = known.get(lane.account);
        if (summary === undefined || !isItsPlace(lane, summary)) continue;
        known.delete(lane.account);
        items.push(toItem(lane.account, summary, source.nowMs));
      }
      if (walk.isOver) break;
      if (items.length >= limit || walk.scanned >= MAX_SCANNED) {
        return { items, cursor: place === undefined ? null : writeCursor(place) };
      }
    }
  }
  return { items, cursor: null };
}

/** All queues' lanes of one kind, merged, the longest waiting first; names decide within a millisecond. */
class Walk {
  scanned = 0;
  /** The lane looked at last. */
  last: WaitingLane | undefined;
  private readonly readers: LaneReader[];

  constructor(
    source: LaneSource,
    private readonly held: boolean,
    private readonly after: Place | undefined,
  ) {
    this.readers = source.queues.map((queue) => new LaneReader(source, queue, held, after?.since ?? ''));
  }

  get isOver(): boolean {
    return this.readers.every(({ isOver }) => isOver);
  }

  /** Up to so many lanes behind the place; fewer where the bound is reached or none is left. */
  async next(count: number): Promise<WaitingLane[]> {
    const met: WaitingLane[] = [];
    while (met.length < count && this.scanned < MAX_SCANNED) {
      let first: { reader: LaneReader; lane: WaitingLane } | undefined;
      for (const reader of this.readers) {
        const lane = await reader.head();
        if (lane && (first === undefined || isEarlier(lane, first.lane))) first = { reader, lane };
      }
      if (first === undefined) break;
      first.reader.take();
      this.scanned += 1;
      const { lane } = first;
      this.last = lane;
      if (lane.held === this.held && (this.after === undefined || isEarlier(this.after, lane)))
        met.push(lane);
    }
    return met;
  }
}

class LaneReader {
  private lanes: WaitingLane[] = [];
  private ended = false;
  private since: number | '';
  private skip = 0;

  constructor(
    private readonly source: LaneSource,
    private readonly queue: string,
    private readonly held: boolean,
    since: number | '',
  ) {
    this.since = since;
  }

  get isOver(): boolean {
    return this.ended && this.lanes.length === 0;
  }

  async head(): Promise<WaitingLane | undefined> {
    while (this.lanes.length === 0 && !this.ended) {
      const { since, skip } = this;
      const { lanes, entries, last, sameCount } = await this.source.from(
        this.queue,
        this.held,
        { since, skip },
        BATCH,
      );
      this.ended = entries < BATCH;
      this.skip = last === since ? skip + sameCount : sameCount;
      this.since = last;
      this.lanes = lanes.toSorted((one, other) => (isEarlier(one, other) ? -1 : 1));
    }
    return this.lanes[0];
  }

  take(): void {
    this.lanes.shift();
  }
}

interface Summary {
  waiting: number;
  /** Of lanes that are open. */
  openSince: number;
  since: number;
}

async function summaries(source: LaneSource, accounts: readonly string[]): Promise<Map<string, Summary>> {
  const known = new Map<string, Summary>();
  if (accounts.length === 0) return known;
  for (const lanes of await Promise.all(source.queues.map(async (queue) => source.of(queue, accounts)))) {
    for (const { account, waiting, since, held } of lanes) {
      const summary = known.get(account) ?? { waiting: 0, openSince: Infinity, since: Infinity };
      known.set(account, {
        waiting: summary.waiting + waiting,
        openSince: held ? summary.openSince : Math.min(summary.openSince, since),
        since: Math.min(summary.since, since),
      });
    }
  }
  return known;
}

/** An account stands where its oldest lane does that could run, or, with none of these, its oldest one. */
function isItsPlace({ held, since }: WaitingLane, summary: Summary): boolean {
  if (!held) return summary.openSince >= since && summary.openSince !== Infinity;
  // One that was let go since it was met has its place behind the reader: it is shown here.
  return summary.since >= since;
}

function toItem(account: string, { waiting, openSince, since }: Summary, nowMs: number): AccountSummary {
  return {
    account,
    waiting,
    oldestEligibleAgeMs: openSince === Infinity ? null : Math.max(0, nowMs - openSince),
    oldestWaitingAgeMs: Math.max(0, nowMs - since),
  };
}

function isEarlier(
  one: Pick<WaitingLane, 'since' | 'account'>,
  other: Pick<WaitingLane, 'since' | 'account'>,
): boolean {
  return one.since === other.since ? one.account < other.account : one.since < other.since;
}

/** A broken cursor starts from the beginning. */
function readPlace(cursor: string | undefined): Place | undefined {
  const place = readCursor(cursor) as Partial<Place> | null | undefined;
  const { held, since, account } = place ?? {};
  return typeof held === 'boolean' && typeof since === 'number' && typeof account === 'string'
    ? { held, since, account }
    : undefined;
}

/** Reply of the command `oldest`. */
export function readLanes(flat: readonly (string | number)[]): LanePage {
  const lanes = [];
  const [entries, last, sameCount] = flat;
  for (let at = 3; at + 3 < flat.length; at += 4) {
    const lane = String(flat[at]);
    const colon = lane.indexOf(':');
    lanes.push({
      group: lane.slice(0, colon),
      account: lane.slice(colon + 1),
      since: Number(flat[at + 1]),
      waiting: Number(flat[at + 2]),
      held: flat[at + 3] === '1',
    });
  }
  return {
    lanes,
    entries: Number(entries),
    last: last === '' ? '' : Number(last),
    sameCount: Number(sameCount),
  };
}
