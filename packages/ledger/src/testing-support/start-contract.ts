import { describe, expect, it } from 'vitest';

import { callsOf, newJob, type LedgerInTests } from './ledger-in-tests.js';

/** What is started, started again and recorded. */
export function describeStarts(open: () => LedgerInTests): void {
  const { begin, recordDone, statesOf } = callsOf(open);

  describe('an effect', () => {
    it('starts an effect that nobody has started', async () => {
      const job = newJob();
      expect(await begin(job)).toEqual({ outcome: 'perform', fence: 1 });
      expect(await statesOf(job)).toEqual(['send started']);
    });

    it('R2: gives the kept result of a done effect back, whoever asks', async () => {
      const job = newJob();
      await begin(job);
      const value = { id: 'msg_1', text: 'naïve "quoted" \u0000 \u2028 😀', __proto__: null };
      expect(await recordDone(job, 1, value, 'msg_1')).toBe(true);
      expect(await begin(job, { inputHash: 'in-2' })).toEqual({
        outcome: 'done',
        fence: 2,
        inputHash: 'in-1',
        result: { kept: 'json', json: JSON.stringify(value) },
      });
    });

    it.each([
      ['nothing', undefined],
      ['unserialisable', 10n],
      ['too_large', 'x'.repeat(40_000)],
    ])('A24: keeps that a result was %s', async (kept, value) => {
      const job = newJob();
      await begin(job);
      await recordDone(job, 1, value);
      expect(await begin(job)).toMatchObject({ outcome: 'done', result: { kept } });
    });

    it('R2: tells a later attempt that an effect was started, and how long ago', async () => {
      const job = newJob();
      const { clock } = open();
      await begin(job, { timeoutMs: 700 });
      clock.nowMs += 250;
      expect(await begin(job)).toEqual({
        outcome: 'unsettled',
        state: 'started',
        fence: 2,
        inputHash: 'in-1',
        startedAgoMs: 250,
        firstStartedAgoMs: 250,
        timeoutMs: 700,
      });
      expect(await statesOf(job)).toEqual(['send started']);
    });

    it('never tells a negative age, though the clock of the ledger was set back', async () => {
      const job = newJob();
      await begin(job);
      open().clock.nowMs -= 5_000;
      expect(await begin(job)).toMatchObject({ startedAgoMs: 0, firstStartedAgoMs: 0 });
      open().clock.nowMs += 5_000;
    });

    it('starts an effect anew, with a new age, when it was certainly not applied', async () => {
      const job = newJob();
      await begin(job);
      await open().ledger.record({ jobId: job, fence: 1, name: 'send', outcome: { state: 'not_applied' } });
      open().clock.nowMs += 1_000;
      expect(await begin(job)).toEqual({ outcome: 'perform', fence: 2 });
      open().clock.nowMs += 10;
      expect(await begin(job)).toMatchObject({ startedAgoMs: 10, firstStartedAgoMs: 10 });
    });

    it.each([
      [true, 1_010],
      [false, 10],
    ])('repeats an unsettled effect; the age of its key goes on: %s', async (keepAge, firstStartedAgoMs) => {
      const job = newJob();
      const { ledger, clock } = open();
      await begin(job);
      clock.nowMs += 1_000;
      await begin(job);
      const request = { jobId: job, fence: 2, name: 'send', inputHash: 'in-2', timeoutMs: 300, keepAge };
      expect(await ledger.repeat(request)).toBe(true);
      expect(await ledger.repeat(request)).toBe(true);
      clock.nowMs += 10;
      const found = { inputHash: 'in-2', startedAgoMs: 10, firstStartedAgoMs, timeoutMs: 300 };
      expect(await begin(job)).toMatchObject(found);
    });

    it('leaves done what is done', async () => {
      const job = newJob();
      await begin(job);
      await recordDone(job, 1, { id: 'first' }, 'first');
      expect(await recordDone(job, 1, { id: 'second' }, 'second')).toBe(true);
      const outcome = { state: 'not_applied' } as const;
      expect(await open().ledger.record({ jobId: job, fence: 1, name: 'send', outcome })).toBe(true);
      expect(await open().ledger.effects(job)).toMatchObject([{ state: 'done', externalId: 'first' }]);
    });

    it('keeps an effect that was given up as unknown for later attempts', async () => {
      const job = newJob();
      await begin(job);
      await open().ledger.record({ jobId: job, fence: 1, name: 'send', outcome: { state: 'unknown' } });
      expect(await begin(job)).toMatchObject({ outcome: 'unsettled', state: 'unknown', fence: 2 });
    });
  });
}
