import type { ErrorClass } from '@fairlane/sdk';

/** What metrics count. Called synchronously; must not throw and not block. */
export interface ConsumerHooks {
  /** An attempt starts. `waitedMs`: since the job became due, as far as the worker can tell. */
  readonly onStarted?: (event: {
    readonly queue: string;
    readonly name: string;
    readonly waitedMs: number;
  }) => void;
  /** An attempt ended with an error, whatever follows. */
  readonly onFailedAttempt?: (event: {
    readonly queue: string;
    readonly name: string;
    readonly class: ErrorClass;
    readonly code: string;
  }) => void;
  /** A handler was run; `code` of a run that ended dead. */
  readonly onAttemptEnded?: (event: {
    readonly queue: string;
    readonly name: string;
    readonly outcome: 'completed' | 'dead' | 'retry' | 'defer' | 'release' | 'abandon';
    readonly code?: string;
    readonly processingMs: number;
  }) => void;
}
