import type { z } from 'zod';
import type { Classification } from '../errors/classification.js';
import { classifyFailure } from '../errors/classify-error.js';
import { PayloadError } from '../errors/errors.js';
import { decideFailure, type FailureDecision } from '../decisions/failure-decision.js';
import type { JobImplementation, JobInfo } from '../contract/handler.js';
import { identify } from '../payload/identity.js';
import { storableResult } from '../internal/job-result.js';
import type { DeadCode, JobState } from '../job-states.js';
import { parsePayload, readStoredPayload } from '../payload/payload.js';
import { Attempt, type AttemptEnd, type CrashPoint, type PlannedCrash } from './attempt.js';
import { FakeClock } from './fake-clock.js';
import { MemoryLedger, type EffectReport } from './memory-ledger.js';
import { recordedLogger, type LogLine } from './recorded-logger.js';

/** Most starts that {@link TestJob.run} makes before it takes the job for one that never ends. */
const MAX_STARTS = 10_000;

/** One start of the handler and what came of it. */
export interface Start {
  /** Counted from 1; a start that was put off has the number of the one after it. */
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly outcome: 'completed' | 'cancelled' | 'crashed' | FailureDecision['kind'];
  readonly error?: Classification;
  /** Wait before the next start. */
  readonly delayMs?: number;
}

/** Third argument of {@link createTestJob}. */
export interface TestJobOptions {
  /** Milliseconds since the epoch. Default 2024-01-01T00:00:00Z. */
  readonly startAtMs?: number;
  /** Draws of the backoff's jitter, each in [0, 1). Default: always 0.5, so that delays are exact. */
  readonly random?: () => number;
  /** Default `test`. */
  readonly queue?: string;
}

/**
 * One job in memory: no Redis, no worker, and a clock that jumps over every wait.
 *
 * @throws PayloadError when the contract refuses the payload.
 * @example
 * const job = createTestJob(handler, { accountId: 'acme', invoiceId: '7' });
 * await job.run();
 * expect(job.state).toBe('completed');
 * expect(job.effects.print).toMatchObject({ state: 'done', performed: 1 });
 */
export function createTestJob<N extends string, S extends z.ZodType, R>(
  implementation: JobImplementation<N, S, R>,
  payload: z.input<S>,
  options: TestJobOptions = {},
): TestJob<S, R> {
  return new TestJob(implementation, payload, options);
}

/** Made by {@link createTestJob}. */
export class TestJob<S extends z.ZodType = z.ZodType, R = unknown> {
  readonly clock: FakeClock;
  readonly info: JobInfo;
  readonly starts: Start[] = [];
  /** What the handler reported with `ctx.progress`, in order. */
  readonly progress: (number | object)[] = [];
  readonly logs: LogLine[] = [];

  readonly #implementation: JobImplementation<string, S, R>;
  readonly #payload: z.output<S>;
  readonly #random: () => number;
  readonly #ledger: MemoryLedger;

  #state: JobState = 'ready';
  #result: R | undefined;
  #deadCode: DeadCode | undefined;
  #lastError: Classification | undefined;
  #attemptsMade = 0;
  #startsInRun = 0;
  #deferredSinceMs: number | undefined;
  #dueAtMs: number;
  #crash: PlannedCrash | undefined;
  #running: Attempt<S, R> | undefined;
  #cancelled = false;

  constructor(implementation: JobImplementation<string, S, R>, payload: unknown, options: TestJobOptions) {
    const { startAtMs = Date.UTC(2024, 0, 1), random = () => 0.5, queue = 'test' } = options;
    const { contract } = implementation;
    const parsed = parsePayload(contract, payload);
    if (!parsed.ok) throw new PayloadError(contract.name, parsed.issues);
    const { payloadDigest: _digest, ...identity } = identify(contract, parsed.payload);
    this.clock = new FakeClock(startAtMs);
    this.info = Object.freeze({ ...identity, name: contract.name, version: contract.version, queue });
    this.#implementation = implementation;
    this.#payload = parsed.payload;
    this.#random = random;
    this.#ledger = new MemoryLedger();
    this.#dueAtMs = startAtMs;
  }

  get state(): JobState {
    return this.#state;
  }

  /** What the handler returned, as it is stored. */
  get result(): R | undefined {
    return this.#result;
  }

  /** Why the job is dead; undefined while it is not. */
  get deadCode(): DeadCode | undefined {
    return this.#deadCode;
  }

  /** How the last failed start was classified. */
  get lastError(): Classification | undefined {
    return this.#lastError;
  }

  /** Attempts that were spent, and how many the contract allows. */
  get attempts(): { readonly made: number; readonly max: number } {
    return { made: this.#attemptsMade, max: this.#implementation.contract.retry.attempts };
  }

  /** Waits between the starts so far, in milliseconds. */
  get delaysMs(): number[] {
    return this.starts.flatMap(({ delayMs }) => (delayMs === undefined ? [] : [delayMs]));
  }

  /** By name, in the order of their first use. */
  get effects(): Readonly<Record<string, EffectReport>> {
    return this.#ledger.report();
  }

  /** Starts the job again and again, over all waits, until it ends. */
  async run(): Promise<JobState> {
    for (let starts = 0; !this.#hasEnded(); starts += 1) {
      if (starts === MAX_STARTS) throw new Error(`${this.info.name} did not end within ${MAX_STARTS} starts`);
      await this.runAttempt();
    }
    return this.#state;
  }

  /**
   * Lets the time until the job is due pass and starts it once. Call `clock.advance` meanwhile to let a time-out
   * strike, or {@link TestJob.cancel}.
   */
  async runAttempt(): Promise<JobState> {
    if (this.#hasEnded() || this.#state === 'active')
      throw new Error(`the job is ${this.#state}: it cannot be started`);
    this.clock.advance(Math.max(0, this.#dueAtMs - this.clock.nowMs));
    this.#state = 'active';
    this.#startsInRun += 1;
    const attempt = this.#attemptsMade + 1;
    const startedAtMs = this.clock.nowMs;
    this.#running = new Attempt({
      implementation: this.#implementation,
      payload: this.#storedPayload(),
      info: this.info,
      attempt,
      logger: recordedLogger(this.logs),
      onProgress: (value) => this.progress.push(storableResult(value) as number | object),
      ledger: this.#ledger,
      clock: this.clock,
      random: this.#random,
      crash: this.#crash,
    });
    const end = await this.#running.run();
    this.#running = undefined;
    this.starts.push({ attempt, startedAtMs, ...this.#settle(end) });
    return this.#state;
  }

  /**
   * Lets the worker's process die at the next start: before or after `perform` of an effect (of any, or of the named
   * one), or when the handler has returned and its result is not yet stored.
   */
  crashAt(point: CrashPoint, effect?: string): this {
    this.#crash = { at: point, ...(effect === undefined ? {} : { effect }) };
    return this;
  }

  /** Cancels the job. A running attempt is told by its signal and decides how it ends. */
  cancel(): void {
    if (this.#hasEnded()) throw new Error(`the job is ${this.#state}: it cannot be cancelled`);
    this.#cancelled = true;
    if (this.#running === undefined) this.#state = 'cancelled';
    else this.#running.abort(new DOMException('the job was cancelled', 'AbortError'));
  }

  /**
   * Says what became of an effect whose outcome nobody could tell, as a person would; the job that died of it goes on
   * as a new run. Where it was applied, the handler gets `{ id: externalId }` for the effect's result, or `{}`.
   */
  resolveEffect(name: string, outcome: 'applied' | 'not_applied', externalId?: string): void {
    if (this.#state !== 'dead' || !this.#unresolved().includes(name)) {
      throw new Error(`effect ${name} has no unknown outcome to resolve`);
    }
    this.#ledger.resolve(name, outcome, externalId);
    if (this.#deadCode === 'unknown_outcome' && this.#unresolved().length === 0) this.#startAnew();
  }

  /** A new run of a dead job, with fresh attempts; effects that are done stay done. */
  replay(): void {
    if (this.#state !== 'dead') throw new Error(`the job is ${this.#state}: only a dead one can be replayed`);
    const [unresolved] = this.#unresolved();
    if (unresolved !== undefined) throw new Error(`effect ${unresolved} must be resolved first`);
    this.#startAnew();
  }

  #unresolved(): string[] {
    return this.#ledger.unresolved(this.#deadCode === 'unknown_outcome');
  }

  /** As the payload comes back from storage, its own for every attempt. */
  #storedPayload(): z.output<S> {
    const { contract } = this.#implementation;
    return readStoredPayload(contract, contract.version, JSON.parse(JSON.stringify(this.#payload)));
  }

  #startAnew(): void {
    this.#state = 'ready';
    this.#deadCode = undefined;
    this.#attemptsMade = 0;
    this.#startsInRun = 0;
    this.#deferredSinceMs = undefined;
    this.#dueAtMs = this.clock.nowMs;
  }

  #hasEnded(): boolean {
    return this.#state === 'completed' || this.#state === 'dead' || this.#state === 'cancelled';
  }

  #settle(end: AttemptEnd<R>): Pick<Start, 'outcome' | 'error' | 'delayMs'> {
    if (end.kind === 'returned') {
      this.#state = 'completed';
      this.#attemptsMade += 1;
      this.#result = storableResult(end.result) as R;
      return { outcome: 'completed' };
    }
    if (end.kind === 'crashed') {
      // The lease runs out and another worker takes the job up; a crash spends no attempt.
      this.#crash = undefined;
      this.#state = 'ready';
      return { outcome: 'crashed' };
    }
    const error = classifyFailure(this.#implementation, end.error, this.clock.nowMs);
    this.#lastError = error;
    if (this.#cancelled && error.class !== 'permanent') {
      this.#state = 'cancelled';
      return { outcome: 'cancelled', error };
    }
    const decision = this.#decide(error, end.timedOut);
    return { outcome: decision.kind, error, ...('delayMs' in decision ? { delayMs: decision.delayMs } : {}) };
  }

  #decide(error: Classification, timedOut: boolean): FailureDecision {
    const puttingOff = error.class === 'throttled';
    const decision = decideFailure({
      classification: error,
      timedOut,
      policy: this.#implementation.contract.retry,
      attempt: this.#attemptsMade + 1,
      deferrals: Math.max(1, this.#startsInRun - this.#attemptsMade),
      deferredSinceMs: puttingOff ? this.#deferredSinceMs : undefined,
      nowMs: this.clock.nowMs,
      random: this.#random,
    });
    this.#deferredSinceMs = decision.kind === 'defer' ? decision.sinceMs : undefined;
    if (decision.kind !== 'defer') this.#attemptsMade += 1;
    if (decision.kind === 'dead') {
      this.#state = 'dead';
      this.#deadCode = decision.code;
      return decision;
    }
    this.#state = decision.kind === 'retry' ? 'retrying' : 'held';
    this.#dueAtMs = this.clock.nowMs + decision.delayMs;
    return decision;
  }
}
