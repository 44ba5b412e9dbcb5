import { classifyError } from '../errors/classify-error.js';
import { decideEffect, DEFAULT_SETTLE_MS } from '../decisions/effect-decision.js';
import { EffectDeferredError, RetryableError, UnknownOutcomeError } from '../errors/errors.js';
import type { EffectCall, EffectOptions } from '../contract/handler.js';
import { boundedCall, CallAbortedError, type Timer } from '../internal/bounded-call.js';
import { EffectNames } from '../internal/effect-names.js';
import { keepResult, replayResult } from '../internal/kept-result.js';
import { nextAskMs } from '../internal/next-ask.js';
import type { FakeClock } from './fake-clock.js';
import type { MemoryEntry, MemoryLedger } from './memory-ledger.js';

/** The attempt that effects are used in. */
export interface EffectScope {
  readonly jobKey: string;
  readonly attemptTimeoutMs: number;
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  readonly random: () => number;
  /** Ends the process here where the test says so: then it never returns. */
  readonly reach: (point: 'before_perform' | 'after_perform', effect: string) => Promise<void>;
}

/** One effect of the attempt while it is worked on. */
interface Run<T> {
  readonly name: string;
  readonly options: EffectOptions<T>;
  readonly entry: MemoryEntry;
  /** Time that the call is given. */
  readonly timeoutMs: number;
  /** A repeat may follow a call that was applied: that it failed itself says nothing about the effect. */
  readonly isRepeat: boolean;
}

/** `ctx.effect` of one attempt, by the rules of the real ledger: `handler-contract.ts` of the queue holds both to them. */
export class MemoryEffects {
  readonly #ledger: MemoryLedger;
  readonly #clock: FakeClock;
  readonly #scope: EffectScope;
  readonly #names = new EffectNames();
  readonly #endsAtMs: number;

  constructor(ledger: MemoryLedger, clock: FakeClock, scope: EffectScope) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#scope = scope;
    this.#endsAtMs = clock.nowMs + scope.attemptTimeoutMs;
  }

  async run<T>(name: string, options: EffectOptions<T>): Promise<T> {
    this.#names.take(name);
    this.#mustBeCurrent(name);
    const leftMs = this.#endsAtMs - this.#clock.nowMs;
    const timeoutMs = Math.min(options.timeoutMs ?? Infinity, leftMs);
    const run = { name, options, entry: this.#ledger.entry(name), timeoutMs, isRepeat: false };
    const next = this.#decide(run);
    switch (next.step) {
      case 'replay':
        return this.#replay(run);
      case 'ask':
        return this.#ask(run, next.noCountsFromMs);
      case 'perform':
        return this.#perform({ ...run, isRepeat: run.entry.state.state === 'started' });
      default:
        return this.#giveUp(run);
    }
  }

  #decide<T>({ entry: { state }, options, timeoutMs }: Run<T>) {
    const { alreadyApplied, repeatable, settleMs = DEFAULT_SETTLE_MS } = options;
    const canAsk = alreadyApplied !== undefined;
    // What would be repeated now has to arrive within the key's lifetime as well.
    const found =
      state.state === 'started' && !canAsk
        ? { ...state, timeoutMs: Math.max(state.timeoutMs, timeoutMs) }
        : state;
    const safety = {
      canAsk,
      settleMs,
      ...(repeatable === undefined ? {} : { keyTtlMs: repeatable.keyTtlMs }),
    };
    return decideEffect(found, safety, this.#clock.nowMs);
  }

  /** Throws unless something may be sent now. */
  #mustBeCurrent(name: string): void {
    const { signal, isOver } = this.#scope;
    if (signal.aborted) throw signal.reason;
    if (!isOver()) return;
    const reason = `effect "${name}" was not performed: the attempt is over`;
    throw new RetryableError({ code: 'stale_holder', reason, applied: 'no' });
  }

  async #ask<T>(run: Run<T>, noCountsFromMs: number): Promise<T> {
    let found: T | undefined;
    try {
      found = await this.#question(run);
    } catch (error) {
      return this.#cannotTell(run, error);
    }
    if (found !== undefined) return this.#keep(run, found);
    const leftMs = noCountsFromMs - this.#clock.nowMs;
    if (leftMs > 0) {
      const reason = `It is too early to tell whether effect "${run.name}" was applied.`;
      throw new EffectDeferredError({ reason, retryAfterMs: leftMs });
    }
    return this.#perform(run);
  }

  async #question<T>({
    name,
    options: { alreadyApplied },
    entry,
    timeoutMs,
  }: Run<T>): Promise<T | undefined> {
    if (alreadyApplied === undefined) return undefined;
    entry.asked += 1;
    return this.#call(name, alreadyApplied, timeoutMs);
  }

  #cannotTell<T>(run: Run<T>, error: unknown): T {
    const { signal, random } = this.#scope;
    if (signal.aborted) throw signal.reason;
    const { class: errorClass, retryAfterMs } = classifyError(error);
    // The outside asks to slow down: that closes its gate as any other 429 does.
    if (errorClass === 'throttled') throw error;
    // It says for good that it cannot be asked.
    if (errorClass === 'permanent') return this.#giveUp(run, error);
    const { state } = run.entry;
    const openForMs = state.state === 'started' ? this.#clock.nowMs - state.firstStartedAtMs : 0;
    throw new EffectDeferredError({
      reason: `The outside cannot tell whether effect "${run.name}" was applied.`,
      retryAfterMs: retryAfterMs ?? nextAskMs(openForMs, random),
      cause: error,
    });
  }

  async #perform<T>(run: Run<T>): Promise<T> {
    const { name, options, entry, timeoutMs, isRepeat } = run;
    await this.#scope.reach('before_perform', name);
    const startedAtMs = this.#clock.nowMs;
    // What may have been applied keeps the age of its key.
    const firstStartedAtMs =
      isRepeat && entry.state.state === 'started' ? entry.state.firstStartedAtMs : startedAtMs;
    entry.state = { state: 'started', startedAtMs, firstStartedAtMs, timeoutMs };
    entry.performed += 1;
    let value: T;
    try {
      value = await this.#call(name, options.perform, timeoutMs);
    } catch (error) {
      return this.#failed(run, error);
    }
    await this.#scope.reach('after_perform', name);
    return this.#keep(run, value);
  }

  #failed<T>(run: Run<T>, error: unknown): T {
    const { alreadyApplied, repeatable } = run.options;
    // What the signal was aborted with describes the attempt, not what became of the call.
    const wasAborted = error instanceof CallAbortedError;
    if (!wasAborted && classifyError(error).applied === 'no') {
      if (!run.isRepeat) run.entry.state = { state: 'open' };
      throw error;
    }
    // No later attempt could tell more than this one.
    if (alreadyApplied === undefined && repeatable === undefined) return this.#giveUp(run, error);
    throw error;
  }

  async #call<V>(name: string, call: (call: EffectCall) => Promise<V>, timeoutMs: number): Promise<V> {
    const { jobKey, signal: parent } = this.#scope;
    const identity = { idempotencyKey: `${jobKey}:${name}`, reference: jobKey };
    const after: Timer = (ms, run) => this.#clock.after(ms, run);
    return boundedCall(async (signal) => call({ ...identity, signal }), parent, timeoutMs, after);
  }

  #keep<T>({ entry }: Run<T>, value: T): T {
    entry.state = { state: 'done' };
    entry.result = keepResult(value);
    return entry.result.kept === 'json' ? (JSON.parse(entry.result.json) as T) : value;
  }

  async #replay<T>(run: Run<T>): Promise<T> {
    return replayResult(run.name, run.entry.result, async () => this.#question(run));
  }

  #giveUp<T>({ entry, name }: Run<T>, cause?: unknown): T {
    entry.state = { state: 'unknown' };
    throw new UnknownOutcomeError({ reason: `It is unknown whether effect "${name}" was applied.`, cause });
  }
}
