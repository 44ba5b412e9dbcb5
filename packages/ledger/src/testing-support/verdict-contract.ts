import { describe, expect, it } from 'vitest';

import { callsOf, newJob, type LedgerInTests } from './ledger-in-tests.js';

/** A person's word. */
export function describeVerdicts(open: () => LedgerInTests): void {
  const { begin, recordDone } = callsOf(open);

  describe('resolved by a person', () => {
    it('as applied: later attempts get the id, attempts under way are stale', async () => {
      const job = newJob();
      await begin(job);
      const request = { jobId: job, name: 'send', outcome: 'applied', externalId: 'msg_9' } as const;
      expect(await open().ledger.resolve(request)).toBe('resolved');
      expect(await recordDone(job, 1, { id: 'late' })).toBe(false);
      expect(await begin(job)).toMatchObject({
        outcome: 'done',
        result: { kept: 'json', json: '{"id":"msg_9"}' },
      });
      expect(await open().ledger.resolve(request)).toBe('resolved');
      expect(await open().ledger.resolve({ ...request, externalId: 'msg_8' })).toBe('settled');
      expect(await open().ledger.resolve({ ...request, outcome: 'not_applied' })).toBe('settled');
    });

    it('as not applied: the next attempt performs', async () => {
      const job = newJob();
      await begin(job);
      await open().ledger.record({ jobId: job, fence: 1, name: 'send', outcome: { state: 'unknown' } });
      const request = { jobId: job, name: 'send', outcome: 'not_applied' } as const;
      expect(await open().ledger.resolve(request)).toBe('resolved');
      expect(await open().ledger.resolve(request)).toBe('resolved');
      expect(await begin(job)).toMatchObject({ outcome: 'perform' });
    });

    it('refuses an effect that does not exist', async () => {
      const job = newJob();
      const request = { jobId: job, name: 'send', outcome: 'applied' } as const;
      expect(await open().ledger.resolve(request)).toBe('no_such_effect');
      await begin(job);
      expect(await open().ledger.resolve({ ...request, name: 'other' })).toBe('no_such_effect');
    });
  });
}
