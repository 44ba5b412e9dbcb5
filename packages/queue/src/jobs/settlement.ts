import type { HeldReason } from '@fairlane/sdk';
import type { ErrorRecord } from './error-record.js';

/** What is done with a job whose attempt did not succeed. */
export type Settlement =
  /** Dead letter: kept for a person. */
  | { readonly kind: 'dead'; readonly error: ErrorRecord }
  /** Another attempt later; this one counts. */
  | { readonly kind: 'retry'; readonly error: ErrorRecord; readonly delayMs: number }
  /** The outside throttles: back to its lane, whose gate closes for the delay. The attempt does not count. */
  | {
      readonly kind: 'throttle';
      readonly error: ErrorRecord;
      readonly delayMs: number;
      /** When the job was first put off in this row, ms since the epoch. */
      readonly sinceMs: number;
    }
  /** This job alone not before a delay; the attempt does not count. */
  | {
      readonly kind: 'defer';
      /** Undefined: it waits as one that is retried. */
      readonly reason: HeldReason | undefined;
      readonly error?: ErrorRecord;
      readonly delayMs: number;
      readonly sinceMs: number | undefined;
    }
  /** A person has cancelled it: the end of its run. */
  | { readonly kind: 'cancel' }
  /** Back to the queue at once, the attempt does not count: the worker is shutting down. */
  | { readonly kind: 'release' }
  /** Nothing may be written: the lease is lost, another worker has the job or will take it. */
  | { readonly kind: 'abandon' };
