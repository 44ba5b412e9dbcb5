import type { AuditReport } from '@fairlane/lanes';
import type { ErrorClass } from '@fairlane/sdk';
import type { Settlement } from './settlement.js';

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
    readonly outcome: 'completed' | Settlement['kind'];
    readonly code?: string;
    readonly processingMs: number;
  }) => void;
  /** The audit of a queue's claims and counts has found and repaired something. */
  readonly onRepaired?: (event: { readonly queue: string } & Readonly<AuditReport>) => void;
}
