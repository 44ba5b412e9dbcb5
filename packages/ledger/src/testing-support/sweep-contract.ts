import { describe, expect, it } from 'vitest';

import { callsOf, newJob, type LedgerInTests } from './ledger-in-tests.js';

/** What is forgotten. */
export function describeSweeps(open: () => LedgerInTests): void {
  const { begin, statesOf } = callsOf(open);

  describe('swept', () => {
    const retentionMs = 90 * 86_400_000;

    /** Every job of other tests is younger than the retention, so only what is back-dated here is a candidate. */
    async function oldJobs(count: number) {
      const { clock } = open();
      clock.nowMs -= 2 * retentionMs;
      const jobs = Array.from({ length: count }, newJob);
      for (const job of jobs) await begin(job);
      clock.nowMs += 2 * retentionMs;
      return jobs;
    }

    it('R14: forgets what is older than the retention, at most `limit` jobs a call', async () => {
      const jobs = await oldJobs(5);
      const young = newJob();
      await begin(young);
      const request = { retentionMs, limit: 3, stillNeeded: async () => [] };
      expect(await open().ledger.sweep(request)).toEqual({ removed: 3, kept: 0, more: true });
      expect(await open().ledger.sweep(request)).toEqual({ removed: 2, kept: 0, more: false });
      for (const job of jobs) expect(await open().ledger.effects(job)).toEqual([]);
      expect(await statesOf(young)).toEqual(['send started']);
    });

    it('keeps a job that is still needed for another retention', async () => {
      const [kept, gone] = await oldJobs(2);
      const stillNeeded = async (ids: readonly string[]) => ids.filter((id) => id === kept);
      const request = { retentionMs, limit: 10, stillNeeded };
      expect(await open().ledger.sweep(request)).toEqual({ removed: 1, kept: 1, more: false });
      expect(await open().ledger.sweep(request)).toEqual({ removed: 0, kept: 0, more: false });
      expect(await statesOf(kept ?? '')).toEqual(['send started']);
      expect(await statesOf(gone ?? '')).toEqual([]);
    });

    it('leaves a job alone that was claimed while it was looked at', async () => {
      const [job = ''] = await oldJobs(1);
      const stillNeeded = async () => {
        await begin(job);
        return [];
      };
      const reply = await open().ledger.sweep({ retentionMs, limit: 10, stillNeeded });
      expect(reply).toMatchObject({ removed: 0 });
      expect(await statesOf(job)).toEqual(['send started']);
    });
  });
}
