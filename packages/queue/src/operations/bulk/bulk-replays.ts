import type { Backends } from '../../backend/open-backends.js';
import type { RedisSessions } from '../../redis/redis-session.js';
import type {
  BulkFilter,
  BulkMatch,
  BulkPreview,
  BulkReplay,
  BulkReplayOutcome,
  BulkReplayRequest,
} from './bulk-operation.js';
import type { BulkStore } from './bulk-store.js';
import { countDead, COUNTED_AT_ONCE } from '../count-dead-letters.js';
import type { DeadRow } from '../dead-rows.js';
import type { UnsettledReader } from '../open-effects.js';
import { readLane } from '../../views/job-view.js';
import { AccountTally } from './account-tally.js';
import { replayablePage } from './replayable.js';

/** Counts what a bulk replay would do, and registers it; runners carry it out. */
export class BulkReplays {
  readonly #sessions: RedisSessions;
  readonly #backends: Backends;
  readonly #effects: UnsettledReader | undefined;
  readonly #store: BulkStore;

  constructor(
    sessions: RedisSessions,
    backends: Backends,
    effects: UnsettledReader | undefined,
    store: BulkStore,
  ) {
    this.#sessions = sessions;
    this.#backends = backends;
    this.#effects = effects;
    this.#store = store;
  }

  /** Bounded as a count is; each page within the time limit of a call. */
  async preview(filter: BulkFilter): Promise<BulkPreview> {
    const tally = new AccountTally();
    const match = await this.#match(filter, ['ln'], ({ values: [lane] }) => {
      tally.add(readLane(lane).account);
    });
    return { ...match, byAccount: tally.largest() };
  }

  async #match(
    filter: BulkFilter,
    fields: readonly string[] = [],
    meet: (letter: DeadRow) => void = () => undefined,
  ): Promise<BulkMatch> {
    const nowMs = await this.#sessions.run(async (session) => Math.floor(session.nowMs));
    // What has not died yet cannot have been meant.
    const until = Math.min(filter.until ?? nowMs, nowMs);
    let unresolved = 0;
    const count = await countDead(async (cursor) => {
      const wanted = { filter: { ...filter, until }, limit: COUNTED_AT_ONCE, cursor, fields };
      const page = await this.#sessions.run(() => replayablePage(this.#backends, this.#effects, wanted));
      unresolved += page.unresolved;
      for (const letter of page.letters) meet(letter);
      return page;
    });
    return { ...count, unresolved, until };
  }

  async start(request: BulkReplayRequest): Promise<BulkReplayOutcome> {
    const replay = { ...request, kind: 'replay' } as const;
    const earlier = await this.#sessions.run(() => this.#store.earlier<BulkReplay>(replay));
    if (earlier !== undefined) return earlier;
    const match = await this.#match(request.filter);
    return this.#sessions.run(({ nowMs }) => this.#store.create<BulkReplay>({ ...replay, match }, nowMs));
  }
}
