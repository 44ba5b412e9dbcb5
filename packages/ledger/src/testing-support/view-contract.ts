import { describe, expect, it } from 'vitest';

import { callsOf, newJob, type LedgerInTests } from './ledger-in-tests.js';

/** What people and lists are shown. */
export function describeViews(open: () => LedgerInTests): void {
  const { begin, recordDone } = callsOf(open);

  describe('views', () => {
    it('shows effects by name with state, external id and the time of their last change', async () => {
      const job = newJob();
      const { ledger, clock } = open();
      await begin(job);
      clock.nowMs += 2_000;
      await recordDone(job, 1, { id: 'msg_1' }, 'msg_1');
      const at = new Date(clock.nowMs).toISOString();
      expect(await ledger.effects(job)).toEqual([{ name: 'send', state: 'done', externalId: 'msg_1', at }]);
      expect(await ledger.effects(newJob())).toEqual([]);
    });

    it('tells the effects of a page of jobs as it does of each, and leaves out those without any', async () => {
      const { ledger } = open();
      const [one, two, none] = [newJob(), newJob(), newJob()];
      for (const job of [one, two]) await begin(job);
      await begin(two, { name: 'label', fence: 1 });
      await recordDone(one, 1, { id: 'msg_1' }, 'msg_1');
      const found = await ledger.effectsOf([two, none, one]);
      expect(new Set(found.keys())).toEqual(new Set([one, two]));
      for (const job of [one, two]) expect(found.get(job)).toEqual(await ledger.effects(job));
      expect(found.get(two)?.map(({ name }) => name)).toEqual(['label', 'send']);
      expect(await ledger.effectsOf([])).toEqual(new Map());
    });

    it('tells of many jobs at once which have effects whose outcome is open', async () => {
      const { ledger } = open();
      const [done, started, unknown, refused, both] = [newJob(), newJob(), newJob(), newJob(), newJob()];
      for (const job of [done, started, unknown, refused, both]) await begin(job);
      await recordDone(done, 1, { id: 'msg_1' });
      const end = (jobId: string, state: 'unknown' | 'not_applied') =>
        ledger.record({ jobId, fence: 1, name: 'send', outcome: { state } });
      await end(unknown, 'unknown');
      await end(refused, 'not_applied');
      await end(both, 'unknown');
      await begin(both, { name: 'label', fence: 1 });
      const asked = [done, newJob(), both, refused, unknown, started];
      const found = [...(await ledger.unsettled(asked))].map(([job, states]) => [job, states.toSorted()]);
      expect(new Map(found as [string, string[]][])).toEqual(
        new Map([
          [both, ['started', 'unknown']],
          [unknown, ['unknown']],
          [started, ['started']],
        ]),
      );
      expect(await ledger.unsettled([])).toEqual(new Map());
    });
  });
}
