import { setMaxListeners } from 'node:events';

import {
  classifyError,
  decideEffect,
  DEFAULT_SETTLE_MS,
  EffectDeferredError,
  UnknownOutcomeError,
  type EffectCall,
  type EffectOptions,
} from '@fairlane/sdk';
import {
  boundedCall,
  CallAbortedError,
  EffectNames,
  nextAskMs,
  replayResult,
  type EffectScope,
} from '@fairlane/sdk/internal';

import { StaleHolderError } from '../errors.js';
import type { KeptResult } from '../ledger.js';
import type { Begun, Claim } from './claim.js';
import type { EffectOutcome } from './effect-outcome.js';

/** For a ledger that was slow to let an effect be performed. */
const LEDGER_SLOW_RETRY_MS = 5_000;
/** Node fires a timer of more than 31 bits at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

type Unsettled = Extract<Begun, { outcome: 'unsettled' }>;

/** One effect of the attempt while it is worked on. */
interface Run<T> {
  readonly name: string;
  readonly options: EffectOptions<T>;
  readonly call: Omit<EffectCall, 'signal'>;
  /**
   * On the monotonic clock, taken before the ledger was asked: the call ends no later than the ledger thinks,
   * however long its answer took.
   */
  readonly startedAtMs: number;
  /** Time that the call is given. */
  readonly timeoutMs: number;
  /** A repeat may follow a call that was applied: that it failed itself says nothing about the effect. */
  readonly isRepeat: boolean;
}

/** The effects of one attempt, all under one claim. */
export class AttemptEffects {
  readonly #scope: EffectScope;
  readonly #claim: Claim;
  readonly #report: (outcome: EffectOutcome) => void;
  readonly #endsAtMs: number;
  readonly #names = new EffectNames();

  constructor(scope: EffectScope, claim: Claim, onOutcome: (outcome: EffectOutcome) => void) {
    this.#scope = scope;
    this.#claim = claim;
    this.#report = onOutcome;
    this.#endsAtMs = performance.now() + scope.timeoutMs;
    // Effects used at the same time all listen to it, which is no leak.
    setMaxListeners(0, scope.signal);
  }

  async run<T>(name: string, options: EffectOptions<T>): Promise<T> {
    this.#names.take(name);
    try {
      return await this.#run(name, options);
    } catch (error) {
      if (error instanceof EffectDeferredError) this.#report('deferred');
      if (error instanceof StaleHolderError) this.#report('stale');
      throw error;
    }
  }

  async #run<T>(name: string, options: EffectOptions<T>): Promise<T> {
    const { key } = this.#scope.job;
    const call = { reference: key, idempotencyKey: `${key}:${name}` };
    const run: Run<T> = { name, options, call, isRepeat: false, ...this.#time(options) };
    this.#mustBeCurrent(run);
    const begun = await this.#claim.begin(name, run.timeoutMs);
    if (begun.outcome === 'perform') return this.#perform(run, begun.fence);

    if (begun.inputHash !== this.#claim.inputHash) {
      this.#scope.logger.warn({ effect: name }, 'the payload has changed since this effect was started');
    }
    return begun.outcome === 'done' ? this.#replay(run, begun.result) : this.#settle(run, begun);
  }

  #time<T>({ timeoutMs = Infinity }: EffectOptions<T>): Pick<Run<T>, 'startedAtMs' | 'timeoutMs'> {
    const startedAtMs = performance.now();
    return { startedAtMs, timeoutMs: Math.ceil(Math.min(timeoutMs, this.#endsAtMs - startedAtMs)) };
  }

  /** Throws unless something may be sent now. */
  #mustBeCurrent<T>({ name, timeoutMs }: Run<T>): void {
    const { signal, isCurrent } = this.#scope;
    if (signal.aborted) throw signal.reason;
    if (!isCurrent()) throw new StaleHolderError(name);
    if (timeoutMs <= 0) {
      throw new DOMException(`no time was left to perform effect "${name}"`, 'TimeoutError');
    }
  }

  /** An earlier attempt left no outcome. */
  async #settle<T>(run: Run<T>, found: Unsettled): Promise<T> {
    const { alreadyApplied, repeatable, settleMs = DEFAULT_SETTLE_MS } = run.options;
    const canAsk = alreadyApplied !== undefined;
    // What would be repeated now has to arrive within the key's lifetime as well.
    const timeoutMs = canAsk ? found.timeoutMs : Math.max(found.timeoutMs, run.timeoutMs);
    const times = { startedAtMs: -found.startedAgoMs, firstStartedAtMs: -found.firstStartedAgoMs, timeoutMs };
    const next = decideEffect(
      found.state === 'unknown' ? { state: 'unknown' } : { state: 'started', ...times },
      { canAsk, settleMs, ...(repeatable === undefined ? {} : { keyTtlMs: repeatable.keyTtlMs }) },
      0,
    );
    switch (next.step) {
      case 'ask':
        return this.#ask(run, found, next.noCountsFromMs);
      case 'perform':
        return this.#again({ ...run, isRepeat: true }, found.fence);
      default:
        return this.#giveUp(run, found.fence);
    }
  }

  async #ask<T>(run: Run<T>, found: Unsettled, noCountsInMs: number): Promise<T> {
    const { name } = run;
    let applied: T | undefined;
    try {
      applied = await this.#question(run);
    } catch (error) {
      return this.#cannotTell(run, found, error);
    }
    if (applied !== undefined) {
      this.#report('found');
      return this.#claim.keep(name, found.fence, applied);
    }
    if (noCountsInMs > 0) {
      const reason = `It is too early to tell whether effect "${name}" was applied.`;
      throw new EffectDeferredError({ reason, retryAfterMs: noCountsInMs });
    }
    return this.#again(run, found.fence);
  }

  async #question<T>({ options: { alreadyApplied }, call, timeoutMs }: Run<T>): Promise<T | undefined> {
    if (alreadyApplied === undefined) return undefined;
    const ask = async (signal: AbortSignal) => alreadyApplied({ ...call, signal });
    return boundedCall(ask, this.#scope.signal, timeoutMs, after);
  }

  async #cannotTell<T>(run: Run<T>, found: Unsettled, error: unknown): Promise<T> {
    const { signal } = this.#scope;
    if (signal.aborted) throw signal.reason;
    const { class: errorClass, retryAfterMs } = classifyError(error);
    // The outside asks to slow down: that closes its gate as any other 429 does.
    if (errorClass === 'throttled') throw error;
    // It says for good that it cannot be asked.
    if (errorClass === 'permanent') return this.#giveUp(run, found.fence, error);
    throw new EffectDeferredError({
      reason: `The outside cannot tell whether effect "${run.name}" was applied.`,
      retryAfterMs: retryAfterMs ?? nextAskMs(found.firstStartedAgoMs, Math.random),
      cause: error,
    });
  }

  /** Starts an effect again: the earlier call was not applied, or the outside drops repeats of its key. */
  async #again<T>(run: Run<T>, fence: number): Promise<T> {
    const timed = { ...run, ...this.#time(run.options) };
    this.#mustBeCurrent(timed);
    await this.#claim.repeat(run.name, fence, timed.timeoutMs, run.isRepeat);
    return this.#perform(timed, fence);
  }

  async #perform<T>(run: Run<T>, fence: number): Promise<T> {
    const { name, options, call, startedAtMs, timeoutMs } = run;
    try {
      this.#mustBeCurrent(run);
      assertTimeToSend(run);
    } catch (error) {
      await this.#notApplied(run, fence);
      throw error;
    }
    let value: T;
    try {
      const leftMs = startedAtMs + timeoutMs - performance.now();
      const perform = async (signal: AbortSignal) => options.perform({ ...call, signal });
      value = await boundedCall(perform, this.#scope.signal, leftMs, after);
    } catch (error) {
      return this.#failed(run, fence, error);
    }
    this.#report('performed');
    return this.#claim.keep(name, fence, value);
  }

  async #failed<T>(run: Run<T>, fence: number, error: unknown): Promise<T> {
    // What the signal was aborted with describes the attempt, not what became of the call.
    const wasAborted = error instanceof CallAbortedError;
    if (!wasAborted && classifyError(error).applied === 'no') {
      this.#report('not_applied');
      await this.#notApplied(run, fence);
      throw error;
    }
    // No later attempt could tell more than this one.
    if (isBlind(run.options)) return this.#giveUp(run, fence, error);
    this.#report('unsettled');
    throw error;
  }

  async #notApplied<T>({ name, options, isRepeat }: Run<T>, fence: number): Promise<void> {
    if (!isRepeat) await this.#claim.tryRecord(name, fence, 'not_applied', isBlind(options));
  }

  async #giveUp<T>({ name }: Run<T>, fence: number, cause?: unknown): Promise<T> {
    // Somebody else has the job by now, or a person has told the outcome: what follows is not ours to say.
    if (!(await this.#claim.tryRecord(name, fence, 'unknown'))) throw new StaleHolderError(name, cause);
    this.#report('unknown');
    throw new UnknownOutcomeError({ reason: `It is unknown whether effect "${name}" was applied.`, cause });
  }

  async #replay<T>(run: Run<T>, result: KeptResult): Promise<T> {
    this.#report('replayed');
    return replayResult(run.name, result, async () => this.#question(run));
  }
}

/** No later attempt can find out whether it was applied. */
function isBlind<T>({ alreadyApplied, repeatable }: EffectOptions<T>): boolean {
  return alreadyApplied === undefined && repeatable === undefined;
}

function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, Math.min(ms, MAX_TIMER_MS));
  return () => clearTimeout(timer);
}

/**
 * The ledger's answer is part of the call's time. Where most of that is gone a call would be cut off before anybody
 * could tell whether it was sent, and a person asked about what never left.
 */
function assertTimeToSend<T>({ startedAtMs, timeoutMs }: Run<T>): void {
  if (performance.now() < startedAtMs + timeoutMs / 2) return;
  const reason = 'The ledger of effects took too long to answer.';
  throw new EffectDeferredError({ reason, retryAfterMs: LEDGER_SLOW_RETRY_MS });
}
