import { classifyError } from '../classify-error.js';
import { decideEffect, DEFAULT_SETTLE_MS, type EffectState } from '../effect-decision.js';
import { EffectDeferredError, EffectMisuseError, RetryableError, UnknownOutcomeError } from '../errors.js';
import type { Effect, EffectCall, EffectOptions } from '../handler.js';
import type { FakeClock } from './fake-clock.js';
import { storable } from './storable.js';

/** What became of one effect of a job. */
export interface EffectReport {
  /** `open`: not applied. `started`: begun, outcome unknown so far. `unknown`: given up, a person decides. */
  readonly state: EffectState['state'];
  /** Times `perform` was called. */
  readonly performed: number;
  /** Times `alreadyApplied` was called. */
  readonly asked: number;
  /** What `perform` or `alreadyApplied` gave, as a retry gets it back. */
  readonly result?: unknown;
}

interface Entry {
  state: EffectState;
  performed: number;
  asked: number;
  result: unknown;
}

/** The attempt that an effect is used in. */
export interface EffectScope {
  readonly jobKey: string;
  readonly attemptTimeoutMs: number;
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
  /** Ends the process here where the test says so: then it never returns. */
  readonly reach: (point: 'before_perform' | 'after_perform', effect: string) => Promise<void>;
}

/** Keeps what effects came to in memory, by the rules of the real ledger. */
export class MemoryLedger {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  report(): Record<string, EffectReport> {
    return Object.fromEntries(
      [...this.#entries].map(([name, { state, performed, asked, result }]) => [
        name,
        { state: state.state, performed, asked, ...(state.state === 'done' ? { result } : {}) },
      ]),
    );
  }

  /** Names of effects that wait for a person. */
  unresolved(): string[] {
    return [...this.#entries].filter(([, { state }]) => state.state === 'unknown').map(([name]) => name);
  }

  resolve(name: string, outcome: 'applied' | 'not_applied', result: unknown): void {
    const entry = this.#entries.get(name);
    if (entry?.state.state !== 'unknown') throw new Error(`effect ${name} has no unknown outcome to resolve`);
    if (outcome === 'not_applied') entry.state = { state: 'open' };
    else this.#done(entry, result);
  }

  forAttempt(scope: EffectScope): Effect {
    const used = new Set<string>();
    return async (name, options) => {
      if (used.has(name)) throw new EffectMisuseError(`effect ${name} was used twice in one attempt`);
      used.add(name);
      return this.#run(name, options, scope);
    };
  }

  async #run<T>(name: string, options: EffectOptions<T>, scope: EffectScope): Promise<T> {
    const entry = this.#entry(name);
    const safety = {
      canAsk: options.alreadyApplied !== undefined,
      settleMs: options.settleMs ?? DEFAULT_SETTLE_MS,
      ...(options.repeatable === undefined ? {} : { keyTtlMs: options.repeatable.keyTtlMs }),
    };
    const next = decideEffect(entry.state, safety, this.#clock.nowMs);
    switch (next.step) {
      case 'replay':
        return entry.result as T;
      case 'give_up':
        return this.#giveUp(entry, name);
      case 'ask': {
        const found = await this.#ask(entry, name, options, next.noCountsFromMs, scope);
        return found === undefined ? this.#perform(entry, name, options, scope) : found;
      }
      default:
        return this.#perform(entry, name, options, scope);
    }
  }

  async #ask<T>(
    entry: Entry,
    name: string,
    { alreadyApplied }: EffectOptions<T>,
    noCountsFromMs: number,
    scope: EffectScope,
  ): Promise<T | undefined> {
    entry.asked += 1;
    let found: T | undefined;
    try {
      found = await alreadyApplied?.(this.#call(name, scope, scope.signal));
    } catch (cause) {
      if (classifyError(cause).code === 'unknown_outcome') return this.#giveUp(entry, name, cause);
      throw new EffectDeferredError({ cause });
    }
    if (found !== undefined) return this.#done(entry, found) as T;
    const leftMs = noCountsFromMs - this.#clock.nowMs;
    if (leftMs > 0) throw new EffectDeferredError({ retryAfterMs: leftMs });
    return undefined;
  }

  async #perform<T>(entry: Entry, name: string, options: EffectOptions<T>, scope: EffectScope): Promise<T> {
    if (scope.isOver() || scope.signal.aborted) {
      const reason = `effect ${name} was not performed: the attempt is over or was told to stop`;
      throw new RetryableError({ code: 'stale_holder', reason, applied: 'no' });
    }
    await scope.reach('before_perform', name);
    const before = entry.state;
    const timeoutMs = options.timeoutMs ?? scope.attemptTimeoutMs;
    const startedAtMs = this.#clock.nowMs;
    const firstStartedAtMs = before.state === 'started' ? before.firstStartedAtMs : startedAtMs;
    entry.state = { state: 'started', startedAtMs, firstStartedAtMs, timeoutMs };
    entry.performed += 1;
    const limit = new AbortController();
    const stopTimer = this.#clock.after(timeoutMs, () => {
      limit.abort(new DOMException(`effect ${name} took longer than ${timeoutMs} ms`, 'TimeoutError'));
    });
    try {
      const result = await options.perform(
        this.#call(name, scope, AbortSignal.any([scope.signal, limit.signal])),
      );
      await scope.reach('after_perform', name);
      return this.#done(entry, result) as T;
    } catch (error) {
      // Only what is certain is recorded: an earlier start whose outcome is unknown stays unknown.
      if (classifyError(error).applied === 'no') entry.state = before;
      throw error;
    } finally {
      stopTimer();
    }
  }

  #call(name: string, { jobKey }: EffectScope, signal: AbortSignal): EffectCall {
    return { idempotencyKey: `${jobKey}:${name}`, reference: jobKey, signal };
  }

  #giveUp(entry: Entry, name: string, cause?: unknown): never {
    entry.state = { state: 'unknown' };
    throw new UnknownOutcomeError({ reason: `It is unknown whether ${name} was applied.`, cause });
  }

  #done(entry: Entry, result: unknown): unknown {
    entry.state = { state: 'done' };
    entry.result = storable(result);
    return entry.result;
  }

  #entry(name: string): Entry {
    const found = this.#entries.get(name);
    if (found !== undefined) return found;
    const entry: Entry = { state: { state: 'open' }, performed: 0, asked: 0, result: undefined };
    this.#entries.set(name, entry);
    return entry;
  }
}
