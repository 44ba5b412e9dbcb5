import type { Backends } from '../../backend/open-backends.js';
import type { RedisSessions } from '../../producer/redis-session.js';
import type {
  BulkFilter,
  BulkMatch,
  BulkReplay,
  BulkReplayOutcome,
  BulkReplayRequest,
} from './bulk-operation.js';
import type { BulkStore } from './bulk-store.js';
import { countDead, COUNTED_AT_ONCE } from '../count-dead-letters.js';
import type { UnsettledReader } from '../open-effects.js';
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
  async preview(filter: BulkFilter): Promise<BulkMatch> {
    const nowMs = await this.#sessions.run(async (session) => Math.floor(session.nowMs));
    // What has not died yet cannot have been meant.
    const until = Math.min(filter.until ?? nowMs, nowMs);
    let unresolved = 0;
    const count = await countDead(async (cursor) => {
      const wanted = { filter: { ...filter, until }, limit: COUNTED_AT_ONCE, cursor };
      const page = await this.#sessions.run(() => replayablePage(this.#backends, this.#effects, wanted));
      unresolved += page.unresolved;
      return page;
    });
    return { ...count, unresolved, until };
  }

  async start(request: BulkReplayRequest): Promise<BulkReplayOutcome> {
    const replay = { ...request, kind: 'replay' } as const;
    const earlier = await this.#sessions.run(() => this.#store.earlier<BulkReplay>(replay));
    if (earlier !== undefined) return earlier;
    const match = await this.preview(request.filter);
    return this.#sessions.run(({ nowMs }) => this.#store.create<BulkReplay>({ ...replay, match }, nowMs));
  }
}
