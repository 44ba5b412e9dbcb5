import type { Lanes } from '@fairlane/lanes';
import type { JobState } from '@fairlane/sdk';
import type { Redis } from 'ioredis';
import type { RedisSessions } from '../../redis/redis-session.js';
import { readTime } from '../../redis/server-clock.js';
import type {
  BulkCancel,
  BulkCancelOutcome,
  BulkCancelRequest,
  CancelFilter,
  CancelMatch,
} from './bulk-operation.js';
import type { BulkStore } from './bulk-store.js';
import { cancellablePage } from './cancellable.js';

/** Jobs looked at in one bounded call. */
const COUNTED_AT_ONCE = 200;
/** Leaves the workers most of Redis. */
const PER_SECOND = 2_000;
/**
 * A producer stamps a job with the server's time as it reckons it. Whoever has been told that a job is accepted must not
 * see it left out; what is accepted in these milliseconds is older than the answer to whoever asked.
 */
const CLOCK_ERROR_MS = 5;

/** Counts what a bulk cancel would do, and registers it; runners carry it out. */
export class BulkCancels {
  readonly #client: Pick<Redis, 'time'>;
  readonly #sessions: RedisSessions;
  readonly #lanes: Pick<Lanes, 'jobs'>;
  readonly #queues: readonly string[];
  readonly #store: BulkStore;

  constructor(
    client: Pick<Redis, 'time'>,
    sessions: RedisSessions,
    lanes: Pick<Lanes, 'jobs'>,
    queues: readonly string[],
    store: BulkStore,
  ) {
    this.#client = client;
    this.#sessions = sessions;
    this.#lanes = lanes;
    this.#queues = queues;
    this.#store = store;
  }

  /** Page by page, each within the time limit of a call: memory and every single wait stay bounded. */
  async preview(filter: CancelFilter): Promise<CancelMatch> {
    const time = await this.#sessions.run(() => this.#client.time());
    const nowMs = Math.floor(readTime(time)) + CLOCK_ERROR_MS;
    // What is not there yet cannot have been meant.
    const until = Math.min(filter.until ?? nowMs, nowMs);
    const byState: Partial<Record<JobState, number>> = {};
    let matched = 0;
    let cursor: string | null | undefined;
    do {
      const from = { cursor: cursor ?? undefined, limit: COUNTED_AT_ONCE };
      const page = await this.#sessions.run(() =>
        cancellablePage(this.#lanes, this.#queues, { ...filter, until }, from),
      );
      for (const { state } of page.jobs) {
        // Ends are not listed.
        const open = state as Exclude<typeof state, 'failed'>;
        byState[open] = (byState[open] ?? 0) + 1;
      }
      matched += page.jobs.length;
      cursor = page.cursor;
    } while (cursor !== null);
    return { matched, byState, until };
  }

  async start({ filter, by, idempotencyKey }: BulkCancelRequest): Promise<BulkCancelOutcome> {
    const request = { kind: 'cancel', filter, perSecond: PER_SECOND, by, idempotencyKey } as const;
    const earlier = await this.#sessions.run(() => this.#store.earlier<BulkCancel>(request));
    if (earlier !== undefined) return earlier;
    const match = await this.preview(filter);
    return this.#sessions.run(({ nowMs }) => this.#store.create<BulkCancel>({ ...request, match }, nowMs));
  }
}
