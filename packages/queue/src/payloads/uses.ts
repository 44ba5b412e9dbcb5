import { randomBytes } from 'node:crypto';

/**
 * For what a job's blobs are held by the queue. All of them are needed as long as there is the job; what handlers store
 * under uses of their own is needed as long as the dedup memory knows the job, since the ledger keeps its effects so long.
 */
const QUEUE_USES = ['payload', 'source', 'result'] as const;

/**
 * A use of its own for every submit and every attempt, so that a submit that turns out to be a duplicate gives back its
 * own hold and not that of the job that was there before.
 */
export function newUse(kind: (typeof QUEUE_USES)[number]): string {
  return `${kind}.${randomBytes(6).toString('base64url')}`;
}

/** Whether the owner of a hold is a use of the queue's. */
export function isQueueUse(owner: string): boolean {
  return QUEUE_USES.some((kind) => owner.includes(`:${kind}.`));
}
