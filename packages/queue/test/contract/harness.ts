import type { JobImplementation, JobState } from '@fairlane/sdk';

/** What can be seen of a job, in words that are the same wherever it ran. */
export interface Seen {
  readonly state: JobState;
  /** As it is stored. */
  readonly result: unknown;
  readonly attempts: { readonly made: number; readonly max: number };
  /** Of the last attempt that failed. A dead job's code says why it is dead. */
  readonly code: string | undefined;
  readonly errorClass: string | undefined;
  readonly message: string | undefined;
  /** State by name; `not_applied` for one that was certainly not. */
  readonly effects: Readonly<Record<string, string>>;
}

/** A job that the harness runs. */
export interface ContractJob {
  readonly key: string;
  /** Time between the end of each start and the next one, ms. */
  readonly waitsMs: readonly number[];
  /** Time from the first start to the last one, ms: the waits, and the starts between them. */
  readonly elapsedMs: number;
  /** Lets it run, over all waits, until it has ended. */
  untilEnd(): Promise<Seen>;
  /** Lets it run until it is in that state. */
  untilState(state: JobState): Promise<Seen>;
  /** Makes at least so much time pass while the job is active. */
  letTimePass(ms: number): Promise<void>;
  cancel(): Promise<void>;
  /** False where it is refused. */
  replay(): Promise<boolean>;
  resolve(effect: string, outcome: 'applied' | 'not_applied', externalId?: string): Promise<void>;
}

/** Where the process of a worker dies. */
export type CrashPoint = 'before_perform' | 'after_perform' | 'before_finish';

export interface Crash {
  readonly payload: unknown;
  readonly at: CrashPoint;
}

/** Something that runs handlers: the driver of tests or the real consumer. */
export interface Harness {
  readonly name: string;
  start(implementation: JobImplementation, payload: unknown): Promise<ContractJob>;
  /** Runs jobs of `crashing-job.ts`, lets the process die at each one's point, and runs them to their end. */
  runCrashed(crashes: readonly Crash[]): Promise<Seen[]>;
}

/** Draws of the backoff's jitter, so that waits are exact. */
export const DRAW = 0.5;
