import type { KeptResult } from '@fairlane/sdk/internal';

/**
 * State of an effect:
 * `started` a holder may have sent it and left no outcome; `done` applied, its result is kept; `not_applied`
 * certainly not applied, so the next attempt simply performs; `unknown` given up: a person decides.
 */
export const EFFECT_STATES = ['started', 'done', 'not_applied', 'unknown'] as const;
export type EffectState = (typeof EFFECT_STATES)[number];

/** An effect as people see it. */
export interface EffectView {
  readonly name: string;
  readonly state: EffectState;
  /** What the outside calls it. */
  readonly externalId?: string;
  /** Last change, ISO time. */
  readonly at: string;
}

export type { KeptResult };

export interface BeginRequest {
  readonly jobId: string;
  /** Names this attempt, so that a `begin` whose answer was lost can be sent again. */
  readonly holder: string;
  /** The fence that this attempt holds; undefined makes `begin` claim the job and raise the fence. */
  readonly fence: number | undefined;
  readonly name: string;
  readonly inputHash: string;
  /** Time that the call is given. */
  readonly timeoutMs: number;
}

/** All times are differences on the ledger's own clock: those of workers do not matter. */
export type BeginReply =
  /** Another attempt has claimed the job since: this one may neither perform nor record. */
  | { readonly outcome: 'stale' }
  /** Recorded as started under this fence. */
  | { readonly outcome: 'perform'; readonly fence: number }
  | {
      readonly outcome: 'done';
      readonly fence: number;
      readonly result: KeptResult;
      readonly inputHash: string;
    }
  | ({ readonly outcome: 'unsettled'; readonly fence: number; readonly inputHash: string } & Unsettled);

/** An effect that an earlier attempt started. */
export interface Unsettled {
  readonly state: 'started' | 'unknown';
  /** Since the latest start. */
  readonly startedAgoMs: number;
  /** Since the outside may have seen the idempotency key for the first time. */
  readonly firstStartedAgoMs: number;
  /** Time that the latest call was given. */
  readonly timeoutMs: number;
}

export interface WithdrawRequest {
  readonly jobId: string;
  /** The attempt whose `begin` was not answered. */
  readonly holder: string;
  readonly name: string;
}

export interface RepeatRequest {
  readonly jobId: string;
  readonly fence: number;
  readonly name: string;
  readonly inputHash: string;
  readonly timeoutMs: number;
  /** True when the earlier call may have been applied: the age of its idempotency key goes on. */
  readonly keepAge: boolean;
}

export interface RecordRequest {
  readonly jobId: string;
  readonly fence: number;
  readonly name: string;
  readonly outcome:
    | { readonly state: 'done'; readonly result: KeptResult; readonly externalId: string | undefined }
    | { readonly state: 'not_applied' | 'unknown' };
}

export interface ResolveRequest {
  readonly jobId: string;
  readonly name: string;
  readonly outcome: 'applied' | 'not_applied';
  readonly externalId?: string;
}

/** `settled`: the ledger knows the outcome, and it is another one. */
export type ResolveReply = 'resolved' | 'no_such_effect' | 'settled';

export interface SweepRequest {
  /** Jobs untouched for this long are candidates; larger than what job, dead letter and dedup memory live. */
  readonly retentionMs: number;
  /** Most candidates looked at in one call. */
  readonly limit: number;
  /** Those of the candidates whose job, dead letter or dedup memory exists. They are kept for another retention. */
  readonly stillNeeded: (jobIds: readonly string[]) => Promise<Iterable<string>>;
}

export interface SweepReply {
  readonly removed: number;
  readonly kept: number;
  /** True when the limit cut the sweep short. */
  readonly more: boolean;
}

/**
 * The record of effects, one row of states a job. Every call is one atomic step and can be sent again when its
 * answer was lost. An error means that the ledger could not be asked, never that it refused.
 */
export interface EffectLedger {
  /** Claims the job where no fence is given, and starts the effect unless an earlier attempt has. */
  begin(request: BeginRequest): Promise<BeginReply>;
  /**
   * Takes back what a `begin` has started whose answer never reached its holder: nothing was sent, so the effect is not
   * applied. False where there is nothing to take back, as when another attempt has claimed the job since. Only for a
   * holder that will not perform the effect any more.
   */
  withdraw(request: WithdrawRequest): Promise<boolean>;
  /** Starts an unsettled effect again; false when the fence is stale. */
  repeat(request: RepeatRequest): Promise<boolean>;
  /** Keeps how an effect ended; false when the fence is stale. What is done stays done. */
  record(request: RecordRequest): Promise<boolean>;
  /** A person's word on an unsettled effect. Raises the fence, so no attempt under way can overwrite it. */
  resolve(request: ResolveRequest): Promise<ResolveReply>;
  /** Effects of a job by name; empty for a job without any. */
  effects(jobId: string): Promise<EffectView[]>;
  /** The same of a page of jobs, in as many round trips as for one; jobs without any are left out. */
  effectsOf(jobIds: readonly string[]): Promise<ReadonlyMap<string, EffectView[]>>;
  /**
   * Of a page of jobs those with effects whose outcome is open, and the states of these. One question for all of them,
   * answered in one step: at most some hundreds at a time.
   */
  unsettled(jobIds: readonly string[]): Promise<ReadonlyMap<string, readonly Unsettled['state'][]>>;
  /** Forgets jobs that nothing refers to any more. */
  sweep(request: SweepRequest): Promise<SweepReply>;
  /** Rejects with the reason when the ledger cannot be used. */
  check(): Promise<void>;
  close(): Promise<void>;
}
