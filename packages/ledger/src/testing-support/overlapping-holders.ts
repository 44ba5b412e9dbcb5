import { randomUUID } from 'node:crypto';

import type { EffectLedger } from '../ledger.js';

/**
 * Goes through all jobs in the given order, several at once: claims each, and records it as done where it was the
 * first. Returns the jobs that it performed.
 */
export async function holdAll(
  ledger: EffectLedger,
  jobIds: readonly string[],
  concurrency: number,
): Promise<string[]> {
  const performed: string[] = [];
  const rest = jobIds.values();
  const lane = async () => {
    for (const jobId of rest) {
      const request = { jobId, holder: randomUUID(), fence: undefined, name: 'send', inputHash: 'in-1' };
      const begun = await ledger.begin({ ...request, timeoutMs: 1_000 });
      if (begun.outcome !== 'perform') continue;
      performed.push(jobId);
      const outcome = { state: 'done', result: { kept: 'nothing' }, externalId: jobId } as const;
      // The other holder may have claimed the job meanwhile: then its record is the one that counts.
      await ledger.record({ jobId, fence: begun.fence, name: 'send', outcome });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return performed;
}
