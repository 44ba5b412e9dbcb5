import type { EffectSummary, JobView } from '../views/job-view.js';

/** What is asked of the ledger about many jobs; the ledger itself fits. */
export interface UnsettledReader {
  /** Of these jobs those with effects whose outcome is open, and the states of these. */
  unsettled(jobIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

/**
 * Effects that wait for a person's word. One that was only started counts where the job died because nobody could tell:
 * the ledger may have been away when it was to be told. After any other death the next run asks the outside, or gives up.
 */
export function unresolvedEffects(job: JobView): EffectSummary[] {
  return job.effects.filter(({ state }) => isOpen(state, job.lastError?.code));
}

/** @param code of the death. */
export function isOpen(state: string, code: string | undefined): boolean {
  return state === 'unknown' || (state === 'started' && code === 'unknown_outcome');
}
