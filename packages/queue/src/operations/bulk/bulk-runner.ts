import { setTimeout as wait } from 'node:timers/promises';
import { createLanes } from '@fairlane/lanes';
import type { Catalogue } from '@fairlane/sdk';
import { openBackends, type Backends } from '../../backend/open-backends.js';
import { connectProducer, type RedisSettings } from '../../redis/connections.js';
import { DEFAULT_PREFIX } from '../../defaults.js';
import { UnavailableError } from '../../errors.js';
import { defaultLogger, describeError, type QueueLogger } from '../../logging.js';
import { asUnavailable, RedisSessions } from '../../redis/redis-session.js';
import {
  createCancelCounter,
  type CancelCounter,
  type OnCancelled,
} from '../../statistics/cancel-counter.js';
import type { DeadRow } from '../dead-rows.js';
import type { LeasedOperation, LeasedReplay } from './bulk-operation.js';
import { BulkStore } from './bulk-store.js';
import { CancelWork } from './cancel-work.js';
import type { PageDone } from './page-done.js';
import type { UnsettledReader } from '../open-effects.js';
import { replayablePage } from './replayable.js';

export interface BulkRunnerOptions {
  readonly redis: RedisSettings;
  readonly catalogue: Catalogue;
  /** Default `{fairlane}`. */
  readonly prefix?: string;
  /** Jobs with an effect that waits for a person are left out; the ledger fits. */
  readonly effects?: UnsettledReader;
  readonly logger?: QueueLogger;
  /** How often it looks for operations that nobody works on. Default 1,000. */
  readonly pollMs?: number;
  /** An operation whose runner is silent for this long is another's. Default 15,000. */
  readonly leaseMs?: number;
  /** Told at most once a second for each operation, and at its end. */
  readonly onProgress?: (id: string) => void;
  /** Told of each waiting job that a bulk cancel has ended; running ones end at their worker, which counts them. */
  readonly onCancelled?: OnCancelled;
}

export interface BulkRunner {
  /** Gives up what it works on, at the end of a page; others go on with it. */
  close(): Promise<void>;
}

/** Jobs of a page; also what is repeated at most when a runner is killed. */
const PAGE = 100;
/** A page that Redis or the ledger does not answer by then is tried again. */
const TIMEOUT_MS = 5_000;
const PROGRESS_EVERY_MS = 1_000;

/** Carries out bulk operations on a connection of its own. Any number may run: an operation has one runner at a time. */
export function createBulkRunner(options: BulkRunnerOptions): BulkRunner {
  return new Runner(options);
}

class Runner implements BulkRunner {
  readonly #options: BulkRunnerOptions;
  readonly #logger: QueueLogger;
  readonly #sessions: RedisSessions;
  readonly #backends: Backends;
  readonly #store: BulkStore;
  readonly #cancels: CancelWork;
  readonly #counter: CancelCounter;
  readonly #leaseMs: number;
  readonly #stop = new AbortController();
  readonly #polling: Promise<void>;
  readonly #working = new Map<string, Promise<void>>();

  constructor(options: BulkRunnerOptions) {
    const { redis, catalogue, prefix = DEFAULT_PREFIX, logger = defaultLogger, leaseMs = 15_000 } = options;
    this.#options = options;
    this.#logger = logger;
    this.#leaseMs = leaseMs;
    const client = connectProducer(redis, logger);
    this.#sessions = new RedisSessions(client, TIMEOUT_MS);
    this.#backends = openBackends(client, prefix, catalogue);
    this.#store = new BulkStore(this.#backends.first, prefix);
    const [sessions, backends, store] = [this.#sessions, this.#backends, this.#store];
    this.#counter = createCancelCounter(client, backends, { ...options, prefix, logger });
    const lanes = createLanes({ connection: client, prefix });
    this.#cancels = new CancelWork({ sessions, backends, lanes, store }, this.#counter.count);
    this.#polling = this.#poll(options.pollMs ?? 1_000);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#polling;
    await Promise.all(this.#working.values());
    await this.#counter.close();
    await this.#sessions.close();
  }

  async #poll(everyMs: number): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#takeUp();
      } catch (error) {
        this.#logger.warn(describeError(error), 'bulk operations were not looked for');
      }
      await this.#pause(everyMs);
    }
  }

  async #takeUp(): Promise<void> {
    for (const id of await this.#sessions.run(() => this.#store.running())) {
      if (this.#working.has(id) || this.#stop.signal.aborted) continue;
      const leased = await this.#sessions.run(() => this.#store.lease(id, this.#leaseMs));
      if (leased === undefined) continue;
      const work = this.#work(leased)
        // The lease runs out, and whoever polls next goes on from the last page.
        .catch((error: unknown) =>
          this.#logger.warn({ operation: id, ...describeError(error) }, 'a bulk operation was interrupted'),
        )
        .finally(() => this.#working.delete(id));
      this.#working.set(id, work);
    }
  }

  async #work(leased: LeasedOperation): Promise<void> {
    const limit = Math.min(PAGE, leased.perSecond);
    let cursor = leased.cursor;
    let toldAtMs = -PROGRESS_EVERY_MS;
    for (;;) {
      const startedAtMs = performance.now();
      const page =
        leased.kind === 'cancel'
          ? await this.#cancels.page(leased, cursor, limit, (...args) => this.#countRefused(...args))
          : await this.#replayPage(leased, cursor, limit);
      const isStopping = this.#stop.signal.aborted;
      const step = { cursor: page.cursor, failed: page.failed, leaseMs: isStopping ? 0 : this.#leaseMs };
      const goesOn = await this.#sessions.run(() => this.#store.advance(leased, step));
      const isOver = !goesOn || page.cursor === null;
      if (isOver || performance.now() - toldAtMs >= PROGRESS_EVERY_MS) {
        toldAtMs = performance.now();
        this.#options.onProgress?.(leased.id);
      }
      if (isOver || isStopping) return;
      cursor = page.cursor;
      const dueMs = (page.count / leased.perSecond) * 1_000;
      await this.#pause(dueMs - (performance.now() - startedAtMs));
    }
  }

  async #replayPage(leased: LeasedReplay, cursor: string | undefined, limit: number): Promise<PageDone> {
    const { filter } = leased;
    const page = await this.#sessions.run(() =>
      replayablePage(this.#backends, this.#options.effects, { filter, limit, cursor }),
    );
    const failed = await this.#replayAll(leased, page.letters);
    return { cursor: page.cursor, failed, count: page.letters.length };
  }

  /** @returns how many Redis refused. */
  async #replayAll(leased: LeasedReplay, letters: readonly DeadRow[]): Promise<number> {
    const operation = this.#store.acting(leased);
    return this.#sessions.run(async () => {
      const outcomes = await Promise.allSettled(
        letters.map(async ({ id, queue, diedAtMs }) =>
          this.#backends.backendOf(queue).replayDead(id, diedAtMs, operation),
        ),
      );
      return this.#countRefused(leased.id, outcomes);
    });
  }

  #countRefused(operation: string, outcomes: readonly PromiseSettledResult<unknown>[]): number {
    let refused = 0;
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      const error = asUnavailable(outcome.reason, { mayHaveRun: true });
      // An outage is no answer about a letter: the page is done again.
      if (error instanceof UnavailableError) throw error;
      refused += 1;
      this.#logger.warn({ operation, ...describeError(error) }, 'a bulk operation left a job as it was');
    }
    return refused;
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await wait(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}
