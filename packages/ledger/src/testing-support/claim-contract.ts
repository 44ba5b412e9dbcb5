import { randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { callsOf, newJob, type LedgerInTests } from './ledger-in-tests.js';

/** Who may write: holders and the fence. */
export function describeClaims(open: () => LedgerInTests): void {
  const { begin, recordDone, statesOf } = callsOf(open);

  describe('claims', () => {
    it('raises the fence at each claim and never resets it', async () => {
      const job = newJob();
      const fences: (number | undefined)[] = [];
      for (let claim = 0; claim < 12; claim += 1) {
        const reply = await begin(job);
        fences.push('fence' in reply ? reply.fence : undefined);
      }
      await open().ledger.resolve({ jobId: job, name: 'send', outcome: 'not_applied' });
      const reply = await begin(job);
      fences.push('fence' in reply ? reply.fence : undefined);
      // The resolution is a claim of its own.
      expect(fences).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14]);
    });

    it('A03: a stale holder can neither begin, repeat nor record', async () => {
      const job = newJob();
      await begin(job);
      await begin(job);
      const { ledger } = open();
      expect(await begin(job, { fence: 1, name: 'other' })).toEqual({ outcome: 'stale' });
      const repeat = { jobId: job, name: 'send', inputHash: 'in-1', timeoutMs: 1_000, keepAge: true };
      expect(await ledger.repeat({ ...repeat, fence: 1 })).toBe(false);
      expect(await recordDone(job, 1, {})).toBe(false);
      expect(await statesOf(job)).toEqual(['send started']);
      expect(await ledger.repeat({ ...repeat, fence: 2 })).toBe(true);
    });

    it('A03: no record counts once a newer claim was answered, however calls overlap', async () => {
      const job = newJob();
      let newest = 0;
      const broken: string[] = [];
      const attempt = async () => {
        const reply = await begin(job);
        if (!('fence' in reply)) return;
        newest = Math.max(newest, reply.fence);
        const known = newest;
        const outcome = { state: 'unknown' } as const;
        const counted = await open().ledger.record({ jobId: job, fence: reply.fence, name: 'send', outcome });
        if (counted && known > reply.fence) broken.push(`${reply.fence} counted after ${known}`);
      };
      const lane = async () => {
        for (let nth = 0; nth < 15; nth += 1) await attempt();
      };
      await Promise.all(Array.from({ length: 12 }, lane));
      expect(newest).toBe(12 * 15);
      expect(broken).toEqual([]);
    });

    it('lets an attempt send its claim again when the answer was lost', async () => {
      const job = newJob();
      const holder = randomUUID();
      expect(await begin(job, { holder })).toEqual({ outcome: 'perform', fence: 1 });
      expect(await begin(job, { holder })).toEqual({ outcome: 'perform', fence: 1 });
      expect(await begin(job, { holder: randomUUID() })).toMatchObject({ outcome: 'unsettled', fence: 2 });
      expect(await begin(job, { holder })).toMatchObject({ outcome: 'unsettled', fence: 3 });
    });

    it('R2: takes a start back whose holder was never told of it, as often as it is asked', async () => {
      const job = newJob();
      const holder = randomUUID();
      await begin(job, { holder });
      const request = { jobId: job, holder, name: 'send' };
      expect(await open().ledger.withdraw(request)).toBe(true);
      expect(await open().ledger.withdraw(request)).toBe(false);
      expect(await statesOf(job)).toEqual(['send not_applied']);
      expect(await begin(job)).toEqual({ outcome: 'perform', fence: 2 });
    });

    it('R2: takes nothing back that another has started, ended, claimed or been asked about since', async () => {
      const { ledger } = open();
      const [never, other, later, done, resolved] = [newJob(), newJob(), newJob(), newJob(), newJob()];
      const holder = randomUUID();
      const cannot = async (jobId: string) => {
        const before = await statesOf(jobId);
        expect(await ledger.withdraw({ jobId, holder, name: 'send' })).toBe(false);
        expect(await statesOf(jobId)).toEqual(before);
      };
      await cannot(never);
      // Started by another, who may have sent it; the holder that asks has only claimed the job.
      await begin(other);
      await begin(other, { holder });
      await cannot(other);
      await begin(later, { holder });
      await begin(later);
      await cannot(later);
      await begin(done, { holder });
      await recordDone(done, 1, { id: 'msg_1' });
      await cannot(done);
      await begin(resolved, { holder });
      await ledger.resolve({ jobId: resolved, name: 'send', outcome: 'applied' });
      await cannot(resolved);
      // Taken back once, and begun by another, who may have sent it.
      const again = newJob();
      await begin(again, { holder });
      await ledger.withdraw({ jobId: again, holder, name: 'send' });
      expect(await begin(again)).toMatchObject({ outcome: 'perform' });
      await cannot(again);
    });

    it('holds several effects of one job under one fence', async () => {
      const job = newJob();
      const holder = randomUUID();
      await begin(job, { holder, name: 'b' });
      expect(await begin(job, { holder, fence: 1, name: 'a' })).toEqual({ outcome: 'perform', fence: 1 });
      await open().ledger.record({ jobId: job, fence: 1, name: 'b', outcome: { state: 'not_applied' } });
      expect(await statesOf(job)).toEqual(['a started', 'b not_applied']);
    });

    it('A02: of 50 attempts at once exactly one performs', async () => {
      const job = newJob();
      const replies = await Promise.all(Array.from({ length: 50 }, () => begin(job)));
      expect(replies.filter(({ outcome }) => outcome === 'perform')).toHaveLength(1);
      expect(replies.filter(({ outcome }) => outcome === 'unsettled')).toHaveLength(49);
      const fences = replies.map((reply) => ('fence' in reply ? reply.fence : 0));
      expect(new Set(fences).size).toBe(50);
    });

    it('A02: of 50 records at once one result is kept, and every holder of the fence is told so', async () => {
      const job = newJob();
      await begin(job);
      const results = Array.from({ length: 50 }, (_, nth) =>
        recordDone(job, 1, { id: String(nth) }, String(nth)),
      );
      expect(new Set(await Promise.all(results))).toEqual(new Set([true]));
      const [effect] = await open().ledger.effects(job);
      const reply = await begin(job);
      const json = JSON.stringify({ id: effect?.externalId });
      expect(reply).toMatchObject({ outcome: 'done', result: { kept: 'json', json } });
    });
  });
}
