import { RetryableError, type EffectCall } from '@fairlane/sdk';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Harness } from './harness.js';
import { noteJob } from './note-job.js';

const payload = { accountId: 'acme', note: 'n-1' };
const QUICK = { retry: { attempts: 3, baseMs: 1, capMs: 2 } };
/** Longer than the wait before the next attempt. */
const SLOW_MS = 300;

/** Takes its time; fails first where told to. */
function slow(calls: EffectCall[], failures: Error[] = []) {
  return async (call: EffectCall) => {
    calls.push(call);
    await delay(SLOW_MS);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return { id: 'm-1' };
  };
}

/** Fails at once where told to. */
function failingFirst(failures: Error[]) {
  return async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  };
}

const notSent = () => new RetryableError({ code: 'connect_failed', applied: 'no' });

/** Cases of effects that are still under way when the handler ends. */
export function describeOpenEffects(harness: Harness): void {
  describe('R2 an effect that is under way when its handler ends', () => {
    it('belongs to the attempt: it is performed and recorded before the job is completed', async () => {
      const calls: EffectCall[] = [];
      const implementation = noteJob(async (_payload, { effect }) => {
        void effect('print', { perform: slow(calls) });
        return { printed: true };
      }, QUICK);
      const job = await harness.start(implementation, payload);
      expect(await job.untilEnd()).toMatchObject({
        state: 'completed',
        result: { printed: true },
        attempts: { made: 1 },
        effects: { print: 'done' },
      });
      expect(calls).toHaveLength(1);
    });

    it('fails the attempt when it fails, and not the process', async () => {
      const calls: EffectCall[] = [];
      const failures = [notSent()];
      const implementation = noteJob(async (_payload, { effect }) => {
        void effect('print', { perform: slow(calls, failures) });
      }, QUICK);
      const job = await harness.start(implementation, payload);
      expect(await job.untilEnd()).toMatchObject({ state: 'completed', attempts: { made: 2 } });
      expect(calls).toHaveLength(2);
    });

    it('is recorded before the next attempt when another one has failed meanwhile', async () => {
      const calls: EffectCall[] = [];
      const failures = [notSent()];
      const implementation = noteJob(async (_payload, { effect }) => {
        await Promise.all([
          effect('print', { perform: slow(calls) }),
          effect('fold', { perform: failingFirst(failures) }),
        ]);
      }, QUICK);
      const job = await harness.start(implementation, payload);
      expect(await job.untilEnd()).toMatchObject({
        state: 'completed',
        attempts: { made: 2 },
        effects: { print: 'done', fold: 'done' },
      });
      expect(calls).toHaveLength(1);
    });
  });
}
