import { hasEnded, type BatchAnswer, type JobView } from './api-client.js';

interface FinishedJob {
  key: string;
  account: string;
  state: string;
  deadCode?: string;
  waitMs: number | undefined;
  processingMs: number | undefined;
}

/** What is known about the jobs of one run: how they were answered and how they ended. */
export class RunRecord {
  readonly #open = new Set<string>();
  readonly #finished = new Map<string, FinishedJob>();
  readonly #missing = new Set<string>();
  readonly #deferred = new Set<string>();
  accepted = 0;
  duplicates = 0;
  rejected = 0;
  /** Told apart from `rejected`, for the message at the end. */
  readonly rejections = new Map<string, number>();
  enqueued = false;

  answered(answer: BatchAnswer): void {
    if (answer.status === 'accepted') this.accepted += 1;
    else if (answer.status === 'duplicate') this.duplicates += 1;
    else {
      this.rejected += 1;
      const reason = `${answer.code ?? 'rejected'}: ${answer.detail ?? ''}`;
      // Bounded: a file that is wrong throughout gives thousands of reasons.
      if (this.rejections.size < 20 || this.rejections.has(reason)) {
        this.rejections.set(reason, (this.rejections.get(reason) ?? 0) + 1);
      }
      return;
    }
    // A duplicate within one file names a job that is watched already.
    if (answer.id !== undefined && !this.#finished.has(answer.id)) this.#open.add(answer.id);
  }

  /** Oldest first. */
  takeOpen(count: number): string[] {
    const taken: string[] = [];
    for (const id of this.#open) {
      if (taken.length === count) break;
      taken.push(id);
    }
    return taken;
  }

  /** Returns whether this view ends the watch over the job. */
  seen(id: string, view: JobView | undefined): boolean {
    this.#open.delete(id);
    if (view === undefined) {
      this.#missing.add(id);
      return true;
    }
    if (view.state === 'held' && view.attempts.made === 0) this.#deferred.add(id);
    if (!hasEnded(view)) {
      // At the back of the line, behind those not looked at yet.
      this.#open.add(id);
      return false;
    }
    this.#finished.set(id, toFinished(view));
    return true;
  }

  get openCount(): number {
    return this.#open.size;
  }

  get finishedCount(): number {
    return this.#finished.size;
  }

  /** Jobs that were seen held with no attempt spent: at least so many were. */
  get deferredCount(): number {
    return this.#deferred.size;
  }

  get missingCount(): number {
    return this.#missing.size;
  }

  finished(): Iterable<FinishedJob> {
    return this.#finished.values();
  }
}

function toFinished(view: JobView): FinishedJob {
  const startedAt = time(view.startedAt);
  const finishedAt = time(view.finishedAt);
  const createdAt = time(view.createdAt);
  // Later attempts begin after a backoff, which is no waiting in the queue.
  const waited = view.attempts.made <= 1 && startedAt !== undefined && createdAt !== undefined;
  return {
    key: view.key,
    account: view.account,
    state: view.state,
    ...(view.state === 'dead' ? { deadCode: view.lastError?.code ?? 'unknown' } : {}),
    waitMs: waited ? startedAt - createdAt : undefined,
    processingMs: startedAt !== undefined && finishedAt !== undefined ? finishedAt - startedAt : undefined,
  };
}

function time(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
