import { Job, type JobJson } from 'bullmq';
import type { FairlaneBackend } from '../backend/fairlane-backend.js';
import { AttemptFailed } from './attempt-failed.js';
import { appendErrorRecord, readErrorRecords, type ErrorRecord } from './error-record.js';
import { isTooDeep } from './envelope.js';
import type { Settlement } from './settlement.js';
import { storableResult } from '@fairlane/sdk/internal';

/** How an attempt ended. */
export type Settled = { readonly kind: 'completed' } | Settlement;

/** What BullMQ's moves answer: the next job, or nothing. */
type Moved = Awaited<ReturnType<Job['moveToFailed']>>;

/** Longest unreadable text shown to people; the stored one is whole. */
const MAX_SHOWN_CHARS = 10_000;
/** Longest stack stored with a job. */
const MAX_STACK_CHARS = 4_000;
const MAX_STACKS = 3;

/** Shown and processed in place of data that cannot be parsed. */
export class UnreadableData {
  readonly unreadable: string;

  constructor(text: string) {
    this.unreadable = text.slice(0, MAX_SHOWN_CHARS);
  }
}

/**
 * BullMQ's job, with the end of an attempt written by our rules: the structured error goes onto the hash in the same
 * script that moves the job. Data that cannot be parsed makes a job that can be shown and failed, not an exception
 * in the middle of BullMQ's loops (A23).
 */
export class FairlaneJob extends Job<unknown, unknown> {
  /** For how long the handler ran; undefined where none was run. */
  processingMs: number | undefined;
  /** Told when Redis has agreed to how the attempt ended, never when it refused. */
  onSettled: ((job: FairlaneJob, settled: Settled) => void) | undefined;

  static override fromJSON<T, R, N extends string>(
    queue: Parameters<typeof Job.fromJSON>[0],
    json: JobJson,
    jobId?: string,
  ): Job<T, R, N> {
    if (!isTooDeep(json.data)) {
      try {
        return super.fromJSON<T, R, N>(queue, json, jobId);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
    const job = super.fromJSON<T, R, N>(queue, { ...json, data: 'null' }, jobId);
    job.data = new UnreadableData(json.data) as T;
    return job;
  }

  override async moveToCompleted(returnValue: unknown, token: string, fetchNext = true): Promise<Moved> {
    const moved = await super.moveToCompleted(storableResult(returnValue), token, fetchNext);
    this.onSettled?.(this, { kind: 'completed' });
    return moved;
  }

  /**
   * Called by BullMQ's worker for whatever the processor threw, and for errors of its own: a finish that Redis
   * refused, a job that stalled too often.
   */
  override async moveToFailed(error: Error, token: string, fetchNext = false): Promise<Moved> {
    if (error instanceof AttemptFailed) return this.#settle(error, token, fetchNext);
    if (error.name !== 'UnrecoverableError') {
      // The handler succeeded and Redis refused the finish. The job is another worker's, or will be when its lock
      // ends; failing it here would record a failure that did not happen.
      throw error;
    }
    const crashed: ErrorRecord = {
      code: 'crashed',
      class: 'unknown',
      message: `a worker was lost in the middle of the job ${this.stalledCounter} times`,
      at: new Date().toISOString(),
      attempt: this.attemptsMade + 1,
    };
    return this.#settle(new AttemptFailed({ kind: 'dead', error: crashed }), token, fetchNext);
  }

  async #settle(failure: AttemptFailed, token: string, fetchNext: boolean): Promise<Moved> {
    const moved = await this.#move(failure, token, fetchNext);
    this.onSettled?.(this, failure.settlement);
    return moved;
  }

  async #move(failure: AttemptFailed, token: string, fetchNext: boolean): Promise<Moved> {
    const { settlement } = failure;
    const backend = this.backend as unknown as FairlaneBackend;
    const id = this.id as string;
    switch (settlement.kind) {
      case 'dead': {
        const fields = await this.#failureFields(failure, settlement);
        const { result } = await backend.moveToFailed(this, failure.message, false, token, fetchNext, fields);
        return result;
      }
      case 'retry': {
        const fieldsToUpdate = await this.#failureFields(failure, settlement);
        return backend.moveToDelayed(id, Date.now(), settlement.delayMs, token, {
          fieldsToUpdate,
          fetchNext,
        });
      }
      case 'throttle': {
        const fields = await this.#failureFields(failure, settlement);
        await backend.putBackThrottled(id, token, settlement.delayMs, fields);
        return undefined;
      }
      case 'defer': {
        const fieldsToUpdate = await this.#failureFields(failure, settlement);
        const options = { skipAttempt: true, fieldsToUpdate, fetchNext };
        return backend.moveToDelayed(id, Date.now(), settlement.delayMs, token, options);
      }
      case 'cancel':
        return backend.moveToCancelled(this as this & { id: string }, token, fetchNext, { hr: '' });
      case 'release':
        await backend.moveJobFromActiveToWait(id, token);
        return undefined;
      case 'abandon':
        await backend.abandon(id, token);
        return undefined;
    }
  }

  /** Only the holder of the lock writes these, and the move is refused to anybody else: read, then written whole. */
  async #failureFields(
    failure: AttemptFailed,
    settlement: Extract<Settlement, { kind: 'dead' | 'retry' | 'throttle' | 'defer' }>,
  ): Promise<Record<string, string | number>> {
    const isPutOff = settlement.kind === 'defer' || settlement.kind === 'throttle';
    const fields = {
      flDeferredSince: (isPutOff && settlement.sinceMs) || '',
      // Read by the lanes: a delayed job with a reason counts as held.
      hr: (settlement.kind === 'defer' && settlement.reason) || '',
    };
    if (settlement.error === undefined) return fields;
    const backend = this.backend as unknown as FairlaneBackend;
    const { flErrors } = await backend.readRunFields(this.id as string, ['flErrors']);
    const ran = this.processedBy === undefined ? {} : { worker: this.processedBy };
    const records = appendErrorRecord(readErrorRecords(flErrors), { ...settlement.error, ...ran });
    const stack = stackOf(failure.cause);
    const stacks = [...(this.stacktrace ?? []), ...(stack === undefined ? [] : [stack])].slice(-MAX_STACKS);
    return {
      ...fields,
      flErrors: JSON.stringify(records),
      failedReason: failure.message,
      stacktrace: JSON.stringify(stacks),
    };
  }
}

/** Whatever was thrown: a stack may be a list that somebody's `Error.prepareStackTrace` made, or throw when asked for. */
function stackOf(thrown: unknown): string | undefined {
  try {
    const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
    return typeof stack === 'string' ? stack.slice(0, MAX_STACK_CHARS) : undefined;
  } catch {
    return undefined;
  }
}
