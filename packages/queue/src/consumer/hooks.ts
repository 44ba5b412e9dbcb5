import type { AuditReport } from '@fairlane/lanes';
import type { ErrorClass } from '@fairlane/sdk';
import type { FairlaneJob, Settled } from '../jobs/fairlane-job.js';

/** How a run can end. */
export type RunEnd = 'completed' | 'dead' | 'cancelled';

/** Outcomes of an attempt that end its job's run. */
const ENDS: Readonly<Partial<Record<Settled['kind'], RunEnd>>> = {
  completed: 'completed',
  dead: 'dead',
  cancel: 'cancelled',
};

/**
 * What metrics count. Called synchronously; must not throw and not block. The ends of attempts are told once Redis has
 * agreed to what follows: a finish that it refused, because the job is another worker's by now, is not told.
 */
export interface ConsumerHooks {
  /**
   * An attempt starts. `waitedMs`: since the job became due, as far as the worker can tell; missing for later attempts
   * and replays, since nobody keeps when those became due.
   */
  readonly onStarted?: (event: {
    readonly queue: string;
    readonly name: string;
    readonly waitedMs?: number;
  }) => void;
  /** A handler was run and ended with an error that was recorded, whatever follows. */
  readonly onFailedAttempt?: (event: {
    readonly queue: string;
    readonly name: string;
    readonly class: ErrorClass;
    readonly code: string;
  }) => void;
  /**
   * An attempt ended; `code` of a run that ended dead. `processingMs` is missing where no handler was run: the job was
   * unreadable, cancelled before, or its workers were lost too often (`crashed`).
   */
  readonly onAttemptEnded?: (event: {
    readonly queue: string;
    readonly name: string;
    readonly outcome: Settled['kind'];
    /** Where the job's run ended with it. */
    readonly end?: RunEnd;
    readonly code?: string;
    readonly processingMs?: number;
  }) => void;
  /** The audit of a queue's claims and counts has found and repaired something. */
  readonly onRepaired?: (event: { readonly queue: string } & Readonly<AuditReport>) => void;
}

/** Tells hooks how an attempt ended. */
export function tellEnd(hooks: ConsumerHooks, job: FairlaneJob, settled: Settled): void {
  const { queueName: queue, name, processingMs } = job;
  const error = 'error' in settled ? settled.error : undefined;
  if (error !== undefined && processingMs !== undefined) {
    hooks.onFailedAttempt?.({ queue, name, class: error.class, code: error.code });
  }
  const end = ENDS[settled.kind];
  hooks.onAttemptEnded?.({
    queue,
    name,
    outcome: settled.kind,
    ...(end === undefined ? {} : { end }),
    ...(settled.kind === 'dead' ? { code: settled.error.code } : {}),
    ...(processingMs === undefined ? {} : { processingMs }),
  });
}
