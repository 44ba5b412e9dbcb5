import { randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { keepResult } from '@fairlane/sdk/internal';
import type { BeginRequest, EffectLedger } from '../ledger.js';

/** A ledger on a clock that the test turns. */
export interface LedgerInTests {
  ledger: EffectLedger;
  clock: { nowMs: number };
}

const START_MS = 1_700_000_000_000;

/** What every store has to do alike. `open` gives the ledger of the test file. */
export function describeLedgerContract(store: string, open: () => LedgerInTests): void {
  function begin(jobId: string, patch: Partial<BeginRequest> = {}) {
    const request = { jobId, fence: undefined, name: 'send', inputHash: 'in-1', timeoutMs: 1_000 };
    return open().ledger.begin({ ...request, holder: randomUUID(), ...patch });
  }

  function recordDone(jobId: string, fence: number, value: unknown, externalId?: string) {
    return open().ledger.record({
      jobId,
      fence,
      name: 'send',
      outcome: { state: 'done', result: keepResult(value), externalId },
    });
  }

  async function statesOf(jobId: string) {
    return (await open().ledger.effects(jobId)).map(({ name, state }) => `${name} ${state}`);
  }

  describe(`the ${store} ledger`, () => {
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

    it('holds several effects of one job under one fence', async () => {
      const job = newJob();
      const holder = randomUUID();
      await begin(job, { holder, name: 'b' });
      expect(await begin(job, { holder, fence: 1, name: 'a' })).toEqual({ outcome: 'perform', fence: 1 });
      await open().ledger.record({ jobId: job, fence: 1, name: 'b', outcome: { state: 'not_applied' } });
      expect(await statesOf(job)).toEqual(['a started', 'b not_applied']);
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

    it('can be checked', async () => {
      await expect(open().ledger.check()).resolves.toBeUndefined();
    });
  });
}

function newJob(): string {
  return randomUUID();
}

export function startClock(): { nowMs: number } {
  return { nowMs: START_MS };
}
