import type { z } from 'zod';
import type { HandlerContext, JobImplementation, JobInfo, JobLogger } from '../contract/handler.js';
import type { FakeClock } from './fake-clock.js';
import { OpenEffects } from '../internal/open-effects.js';
import { MemoryEffects, type EffectScope } from './memory-effects.js';
import type { MemoryLedger } from './memory-ledger.js';

/** How long a handler may take to notice its abort before the attempt ends without it. */
const ABORT_GRACE_MS = 5_000;

/** Where the process of a worker can die. */
export type CrashPoint = 'before_perform' | 'after_perform' | 'before_finish';

export interface PlannedCrash {
  readonly at: CrashPoint;
  /** Left out: at the first effect that gets there. */
  readonly effect?: string;
}

/** How an attempt ended. */
export type AttemptEnd<R> =
  | { readonly kind: 'returned'; readonly result: R }
  | { readonly kind: 'threw'; readonly error: unknown; readonly timedOut: boolean }
  | { readonly kind: 'crashed' };

export interface AttemptInput<S extends z.ZodType, R> {
  readonly implementation: JobImplementation<string, S, R>;
  readonly payload: z.output<S>;
  readonly info: JobInfo;
  readonly attempt: number;
  readonly logger: JobLogger;
  readonly onProgress: (value: number | object) => void;
  readonly ledger: MemoryLedger;
  readonly clock: FakeClock;
  readonly random: () => number;
  readonly crash: PlannedCrash | undefined;
}

/** One attempt of a handler in memory, as a worker would run it. */
export class Attempt<S extends z.ZodType, R> {
  readonly #input: AttemptInput<S, R>;
  readonly #stop = new AbortController();
  readonly #openEffects = new OpenEffects();
  readonly #death: Promise<AttemptEnd<R>>;
  #die: (end: AttemptEnd<R>) => void = () => undefined;
  #timedOut = false;
  #isOver = false;

  constructor(input: AttemptInput<S, R>) {
    this.#input = input;
    this.#death = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** Tells the handler to stop. */
  abort(reason: DOMException): void {
    this.#stop.abort(reason);
  }

  async run(): Promise<AttemptEnd<R>> {
    const { implementation, payload, clock } = this.#input;
    const { timeoutMs } = implementation.contract;
    const stopTimer = clock.after(timeoutMs, () => {
      this.#timedOut = true;
      this.abort(new DOMException(`the attempt took longer than ${timeoutMs} ms`, 'TimeoutError'));
    });
    try {
      return await Promise.race([this.#handle(payload), this.#death, this.#abandoned()]);
    } catch (error) {
      return { kind: 'threw', error, timedOut: this.#timedOut };
    } finally {
      this.#isOver = true;
      stopTimer();
    }
  }

  async #handle(payload: z.output<S>): Promise<AttemptEnd<R>> {
    const handler = async () => this.#input.implementation.run(payload, this.#context());
    const result = await this.#openEffects.after(handler());
    if (this.#crashesAt('before_finish')) return { kind: 'crashed' };
    return { kind: 'returned', result };
  }

  /** Rejects when the handler has not ended a while after it was told to. */
  #abandoned(): Promise<never> {
    const { signal } = this.#stop;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        this.#input.clock.after(ABORT_GRACE_MS, () => reject(signal.reason as DOMException));
      });
    });
  }

  #context(): HandlerContext {
    const { info, attempt, implementation, ledger, clock, random, logger, onProgress } = this.#input;
    const scope: EffectScope = {
      jobKey: info.key,
      attemptTimeoutMs: implementation.contract.timeoutMs,
      signal: this.#stop.signal,
      isOver: () => this.#isOver,
      random,
      reach: async (point, effect) => {
        if (!this.#crashesAt(point, effect)) return;
        this.#die({ kind: 'crashed' });
        // A dead process does nothing more: the handler is never told.
        await new Promise<never>(() => undefined);
      },
    };
    const effects = new MemoryEffects(ledger, clock, scope);
    return {
      job: info,
      attempt,
      signal: this.#stop.signal,
      logger,
      progress: async (value) => {
        if (!this.#isOver) onProgress(value);
      },
      effect: (name, options) => this.#openEffects.track(effects.run(name, options)),
    };
  }

  #crashesAt(point: CrashPoint, effect?: string): boolean {
    const { crash } = this.#input;
    if (crash?.at !== point) return false;
    return crash.effect === undefined || crash.effect === effect;
  }
}
