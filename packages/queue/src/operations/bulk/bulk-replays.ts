import type { Backends } from '../../backend/open-backends.js';
import type { RedisSessions } from '../../producer/redis-session.js';
import type { BulkFilter, BulkMatch, BulkReplayOutcome, BulkReplayRequest } from './bulk-operation.js';
import type { BulkStore } from './bulk-store.js';
import { replayablePage, type UnsettledReader } from './replayable.js';

/** Letters looked at in one bounded call. */
const COUNTED_AT_ONCE = 200;

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

  /** Page by page, each within the time limit of a call: memory and every single wait stay bounded. */
  async preview(filter: BulkFilter): Promise<BulkMatch> {
    const nowMs = await this.#sessions.run(async (session) => Math.floor(session.nowMs));
    // What has not died yet cannot have been meant.
    const until = Math.min(filter.until ?? nowMs, nowMs);
    const byCode = new Map<string, number>();
    let [matched, unresolved] = [0, 0];
    let cursor: string | null | undefined;
    do {
      const wanted = { filter: { ...filter, until }, limit: COUNTED_AT_ONCE, cursor: cursor ?? undefined };
      const page = await this.#sessions.run(() => replayablePage(this.#backends, this.#effects, wanted));
      for (const { code } of page.letters) byCode.set(code, (byCode.get(code) ?? 0) + 1);
      matched += page.letters.length;
      unresolved += page.unresolved;
      cursor = page.cursor;
    } while (cursor !== null);
    return { matched, byCode: Object.fromEntries(byCode), unresolved, until };
  }

  async start(request: BulkReplayRequest): Promise<BulkReplayOutcome> {
    const earlier = await this.#sessions.run(() => this.#store.earlier(request));
    if (earlier !== undefined) return earlier;
    const match = await this.preview(request.filter);
    return this.#sessions.run(({ nowMs }) => this.#store.create(request, match, nowMs));
  }
}
