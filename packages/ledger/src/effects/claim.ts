import { randomUUID } from 'node:crypto';

import { EffectDeferredError } from '@fairlane/sdk';
import { externalIdOf, keepResult, type EffectScope } from '@fairlane/sdk/internal';

import { LedgerUnavailableError, StaleHolderError } from '../errors.js';
import type { BeginReply, EffectLedger, RecordRequest } from '../ledger.js';
import { untilAnswered } from './ledger-call.js';

/** How long a ledger that does not answer is asked again. */
export interface LedgerPatience {
  /** Before something was sent, when the slot is worth more than the wait. */
  readonly beforeMs: number;
  /** Afterwards, when the record keeps the effect from being repeated, or from waiting for a person. */
  readonly afterMs: number;
}

export const DEFAULT_PATIENCE: LedgerPatience = { beforeMs: 3_000, afterMs: 30_000 };

const LEDGER_AWAY_RETRY_MS = 5_000;

type ClaimScope = Pick<EffectScope, 'job' | 'inputHash' | 'logger'>;

export type Begun = Exclude<BeginReply, { outcome: 'stale' }>;

/** The attempt's claim on its job in the ledger. Every method throws StaleHolderError once another has it. */
export class Claim {
  readonly #ledger: EffectLedger;
  readonly #scope: ClaimScope;
  readonly #patience: LedgerPatience;
  readonly #holder = randomUUID();
  #inputHash: string | undefined;
  /** Settles once the job is claimed: effects used at the same time must not claim it from each other. */
  #fence: Promise<number> | undefined;

  constructor(ledger: EffectLedger, scope: ClaimScope, patience: LedgerPatience) {
    this.#ledger = ledger;
    this.#scope = scope;
    this.#patience = patience;
  }

  /** Taken once and when it is needed: an attempt without effects does not pay for it. */
  get inputHash(): string {
    this.#inputHash ??= this.#scope.inputHash;
    return this.#inputHash;
  }

  /** The first effect claims the job; others wait for its fence. A claim that failed is made by the next one. */
  async begin(name: string, timeoutMs: number): Promise<Begun> {
    const fence = await this.#fence?.catch(() => undefined);
    const begun = this.#begin(name, timeoutMs, fence);
    if (fence === undefined) {
      this.#fence = begun.then((reply) => reply.fence);
      this.#fence.catch(() => undefined);
    }
    return begun;
  }

  async #begin(name: string, timeoutMs: number, fence: number | undefined): Promise<Begun> {
    const { job } = this.#scope;
    const { inputHash } = this;
    const request = { jobId: job.id, holder: this.#holder, fence, name, inputHash, timeoutMs };
    let isGivenUp = false;
    const ask = async () => {
      const reply = await this.#ledger.begin(request);
      // Carried out after all, and after what was to take it back.
      if (isGivenUp) void this.#withdraw(name);
      return reply;
    };
    let reply: BeginReply;
    try {
      reply = await this.#beforeSending(ask);
    } catch (error) {
      isGivenUp = true;
      void this.#withdraw(name);
      throw error;
    }
    if (reply.outcome === 'stale') throw new StaleHolderError(name);
    return reply;
  }

  /**
   * The ledger may have started what this attempt, which got no answer, will not perform: found so, an effect that can
   * be neither asked nor repeated would wait for a person. The slot does not wait for it. Where it fails, as when
   * this process ends, nothing is lost but that.
   */
  async #withdraw(name: string): Promise<void> {
    const request = { jobId: this.#scope.job.id, holder: this.#holder, name };
    await untilAnswered(async () => this.#ledger.withdraw(request), this.#patience.afterMs, {
      ref: false,
    }).catch(() => undefined);
  }

  /** @param keepAge the earlier call may have been applied, so its idempotency key keeps its age. */
  async repeat(name: string, fence: number, timeoutMs: number, keepAge: boolean): Promise<void> {
    const { job } = this.#scope;
    const { inputHash } = this;
    const request = { jobId: job.id, fence, name, inputHash, timeoutMs, keepAge };
    const isHolder = await this.#beforeSending(async () => this.#ledger.repeat(request));
    if (!isHolder) throw new StaleHolderError(name);
  }

  /** Records what an applied effect gave, and returns it as any later attempt will get it. */
  async keep<T>(name: string, fence: number, value: T): Promise<T> {
    const result = keepResult(value);
    const outcome = { state: 'done', result, externalId: externalIdOf(value) } as const;
    let isHolder: boolean;
    try {
      isHolder = await untilAnswered(async () => this.#record(name, fence, outcome), this.#patience.afterMs);
    } catch (cause) {
      throw new LedgerUnavailableError(name, cause);
    }
    if (!isHolder) throw new StaleHolderError(name);
    if (result.kept === 'json') return JSON.parse(result.json) as T;
    if (result.kept !== 'nothing') {
      const { logger } = this.#scope;
      logger.warn({ effect: name, kept: result.kept }, 'the result of this effect cannot be kept');
    }
    return value;
  }

  /**
   * For outcomes that only spare a question or an attempt: the error under way counts more than their record.
   *
   * @param sparesPerson without the record a person would be asked, which is worth a longer wait.
   * @returns false where another attempt, or a person, has the say by now; true also where the ledger did not answer.
   */
  async tryRecord(
    name: string,
    fence: number,
    state: 'not_applied' | 'unknown',
    sparesPerson = false,
  ): Promise<boolean> {
    const { beforeMs, afterMs } = this.#patience;
    try {
      const patienceMs = sparesPerson ? afterMs : beforeMs;
      return await untilAnswered(async () => this.#record(name, fence, { state }), patienceMs);
    } catch (error) {
      this.#scope.logger.warn(
        { effect: name, err: error },
        'the ledger could not be told how an effect ended',
      );
      return true;
    }
  }

  async #record(name: string, fence: number, outcome: RecordRequest['outcome']): Promise<boolean> {
    return this.#ledger.record({ jobId: this.#scope.job.id, fence, name, outcome });
  }

  async #beforeSending<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await untilAnswered(ask, this.#patience.beforeMs);
    } catch (cause) {
      const reason = 'The ledger of effects cannot be reached.';
      throw new EffectDeferredError({ reason, retryAfterMs: LEDGER_AWAY_RETRY_MS, cause });
    }
  }
}
