import { EffectDeferredError, type JobInfo } from '@fairlane/sdk';
import { describe, expect, it } from 'vitest';

import { createEffectRunner } from '../effects/effect-runner.js';
import type { EffectLedger } from '../ledger.js';
import { newJob, scopeOf } from './attempt-scope.js';
import { effectOf } from './counted-effect.js';
import { deferred } from './deferred.js';
import { interceptLedger } from './intercepted-ledger.js';
import type { LedgerInTests } from './ledger-in-tests.js';

function attempt(job: JobInfo, ledger: EffectLedger) {
  const patience = { beforeMs: 0, afterMs: 5_000 };
  return createEffectRunner({ ledger, patience }).forAttempt(scopeOf(job));
}

/** An attempt that was never told that it may perform has sent nothing: no person is asked about its effect. */
export function describeLostReplies(store: string, open: () => LedgerInTests): void {
  const states = async ({ id }: { id: string }) =>
    (await open().ledger.effects(id)).map(({ state }) => state);

  describe(`R2 a claim on the ${store} ledger whose answer is missed`, () => {
    it('lost with the connection: the next attempt performs an effect that can be neither asked nor repeated', async () => {
      const one = newJob();
      const lossy = interceptLedger(open().ledger, async (method, call) => {
        const reply = await call();
        if (method === 'begin') throw new Error('read ECONNRESET');
        return reply;
      });
      const send = effectOf([() => 'sent']);
      await expect(attempt(one, lossy)('send', send.options)).rejects.toThrow(EffectDeferredError);
      await expect.poll(async () => states(one)).toEqual(['not_applied']);
      expect(send.performed).toBe(0);
      expect(await attempt(one, open().ledger)('send', send.options)).toBe('sent');
      expect(send.performed).toBe(1);
    });

    it('too late: the same, though the ledger carried it out after the job had been put off', async () => {
      const one = newJob();
      const { promise: isPutOff, resolve: putOff } = deferred<void>();
      const methods: string[] = [];
      const slow = interceptLedger(open().ledger, async (method, call) => {
        if (method === 'begin') await isPutOff;
        methods.push(method);
        return call();
      });
      const send = effectOf([() => 'sent']);
      await expect(attempt(one, slow)('send', send.options)).rejects.toThrow(EffectDeferredError);
      await expect.poll(() => methods).toEqual(['withdraw']);
      putOff();
      await expect.poll(async () => states(one)).toEqual(['not_applied']);
      expect(await attempt(one, open().ledger)('send', send.options)).toBe('sent');
      expect(send.performed).toBe(1);
    });
  });
}
