import type { Lanes, ListedJob } from '@fairlane/lanes';
import type { Backends } from '../../backend/open-backends.js';
import type { RedisSessions } from '../../redis/redis-session.js';
import type { OnCancelled } from '../../statistics/cancel-counter.js';
import type { LeasedCancel } from './bulk-operation.js';
import type { BulkStore } from './bulk-store.js';
import { cancellablePage, cancellableStates } from './cancellable.js';
import type { PageDone, Refused } from './page-done.js';

/**
 * Jobs move from state to state while they are walked through, so they are walked through again until a walk has found
 * none. Each walk but the last has cancelled something, so this bound is for what nobody has thought of.
 */
const MAX_WALKS = 20;

/** Where the work of an operation is. */
interface Progress {
  readonly walk: number;
  /** How many the operation had cancelled when this walk began. */
  readonly doneBefore: number;
  readonly place?: string;
}

/** Carries out bulk cancels, a page at a time. */
export class CancelWork {
  readonly #sessions: RedisSessions;
  readonly #backends: Backends;
  readonly #lanes: Pick<Lanes, 'jobs'>;
  readonly #store: BulkStore;
  readonly #onCancelled: OnCancelled;

  constructor({ sessions, backends, lanes, store }: CancelDependencies, onCancelled: OnCancelled) {
    this.#sessions = sessions;
    this.#backends = backends;
    this.#lanes = lanes;
    this.#store = store;
    this.#onCancelled = onCancelled;
  }

  /** @param refused counts jobs that Redis refused to cancel. */
  async page(
    leased: LeasedCancel,
    cursor: string | undefined,
    limit: number,
    refused: Refused,
  ): Promise<PageDone> {
    const progress = read(cursor);
    const { queues } = this.#backends;
    const page = await this.#sessions.run(() =>
      cancellablePage(this.#lanes, queues, leased.filter, { cursor: progress.place, limit }),
    );
    const failed = await this.#sessions.run(async () =>
      refused(leased.id, await Promise.allSettled(page.jobs.map(async (job) => this.#cancel(leased, job)))),
    );
    const place = page.cursor ?? undefined;
    const next = place === undefined ? await this.#nextWalk(leased, progress) : { ...progress, place };
    return { cursor: next === undefined ? null : JSON.stringify(next), failed, count: page.jobs.length };
  }

  async #cancel(leased: LeasedCancel, { id, queue, name, createdAt }: ListedJob): Promise<void> {
    const meant = {
      operation: this.#store.acting(leased),
      createdAtMs: createdAt,
      states: cancellableStates(leased.filter),
    };
    const { first, queues } = this.#backends;
    const reply = await first.cancel(id, queues, meant);
    if (Array.isArray(reply)) this.#onCancelled({ queue, name });
  }

  async #nextWalk({ id }: LeasedCancel, { walk, doneBefore }: Progress): Promise<Progress | undefined> {
    const operation = await this.#sessions.run(() => this.#store.read(id));
    const done = operation?.done ?? 0;
    // By what is counted, not by what this runner has seen: one that was killed may have cancelled most of the walk.
    return done === doneBefore || walk === MAX_WALKS ? undefined : { walk: walk + 1, doneBefore: done };
  }
}

export interface CancelDependencies {
  readonly sessions: RedisSessions;
  readonly backends: Backends;
  readonly lanes: Pick<Lanes, 'jobs'>;
  readonly store: BulkStore;
}

function read(cursor: string | undefined): Progress {
  return cursor === undefined ? { walk: 1, doneBefore: 0 } : (JSON.parse(cursor) as Progress);
}
