import { classifyError, EffectDeferredError, type JobInfo } from '@fairlane/sdk';

import { createEffectRunner } from '../effects/effect-runner.js';
import type { EffectLedger } from '../ledger.js';
import { newJob, scopeOf } from './attempt-scope.js';
import { deferred } from './deferred.js';
import { interceptLedger } from './intercepted-ledger.js';
import { Outside, safetyOf, SETTLE_MS, TIMEOUT_MS, type OutsideKind, type Treatment } from './outside.js';

/** What befalls one attempt. Its steps are the calls it makes: to the ledger and to the outside. */
export interface Fate {
  /** Time that passes before the attempt, ms. */
  readonly afterMs: number;
  readonly send: Treatment;
  readonly question: Treatment;
  /** The process dies at this step, before or after the call is carried out. */
  readonly crash?: { readonly step: number; readonly when: 'before' | 'after' };
  /** The ledger's answer at this step is lost, though the call was carried out. */
  readonly lost?: { readonly step: number };
  /**
   * The process is stopped at this step, before or after the call is carried out, and goes on only after the next
   * attempt has ended.
   */
  readonly pause?: { readonly step: number; readonly when: 'before' | 'after'; readonly atSend: boolean };
}

export type Verdict = 'done' | 'unknown' | 'retry' | 'crashed';

class Crash extends Error {}

/** A job with one effect, a ledger, an outside and the attempts that befall them. */
export class EffectModel {
  readonly job: JobInfo = newJob();
  readonly outside: Outside;
  readonly #ledger: EffectLedger;
  readonly #clock: { nowMs: number };
  #latest = 0;

  constructor(kind: OutsideKind, ledger: EffectLedger, clock: { nowMs: number }) {
    this.outside = new Outside(kind, clock);
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /**
   * Runs attempts one after the other, except that a stopped one ends after its successor. Ends early when the job
   * ends; a job that never does within these attempts gets healthy ones.
   */
  async play(fates: readonly Fate[]): Promise<Verdict> {
    const healthy: Fate = { afterMs: 5_000, send: 'answers', question: 'answers' };
    const all = [...fates, ...Array.from({ length: 4 }, () => healthy)];
    let verdict: Verdict = 'retry';
    let stopped: { resume: () => void; ended: Promise<Verdict> } | undefined;
    for (const fate of all) {
      this.#clock.nowMs += fate.afterMs;
      const gate = deferred<void>();
      const reached = deferred<'stopped'>();
      const ended = this.#attempt(fate, gate.promise, () => reached.resolve('stopped'));
      const first = await Promise.race([ended, reached.promise]);
      if (stopped !== undefined) {
        stopped.resume();
        await stopped.ended;
        stopped = undefined;
      }
      if (first === 'stopped') {
        stopped = { resume: gate.resolve, ended };
        continue;
      }
      verdict = first;
      if (verdict === 'done' || verdict === 'unknown') break;
    }
    stopped?.resume();
    await stopped?.ended;
    // What is still on its way arrives.
    this.#clock.nowMs += TIMEOUT_MS + SETTLE_MS;
    return verdict;
  }

  async #attempt(fate: Fate, gate: Promise<void>, onStopped: () => void): Promise<Verdict> {
    this.#latest += 1;
    const own = this.#latest;
    let step = 0;
    let dead = false;

    const take = async <T>(isSend: boolean, call: () => Promise<T>): Promise<T> => {
      const at = step;
      step += 1;
      const pauses = (when: 'before' | 'after') =>
        fate.pause?.step === at && fate.pause.when === when && (!isSend || fate.pause.atSend);
      const crashes = (when: 'before' | 'after') => fate.crash?.step === at && fate.crash.when === when;
      const pass = async (when: 'before' | 'after') => {
        if (pauses(when)) {
          onStopped();
          await gate;
        }
        // A dead process does nothing more, whatever its code would do about the error.
        dead ||= crashes(when);
        if (dead) throw new Crash();
      };
      await pass('before');
      const value = await call();
      await pass('after');
      if (!isSend && fate.lost?.step === at) throw new Error('the answer was lost');
      return value;
    };

    const ledger = interceptLedger(this.#ledger, async (_method, call) => take(false, call));
    const patience = { beforeMs: 0, afterMs: 0 };
    const effect = createEffectRunner({ ledger, patience }).forAttempt(
      // A process that was stopped finds its lease over when it goes on.
      scopeOf(this.job, { isCurrent: () => !dead && this.#latest === own }),
    );
    const { outside } = this;
    try {
      await effect('send', {
        ...safetyOf(outside.kind),
        perform: async (call) => take(true, async () => outside.send(call, fate.send)),
        ...(outside.kind === 'lookup'
          ? {
              alreadyApplied: async (call) =>
                take(false, async () => outside.find(call.reference, fate.question)),
            }
          : {}),
      });
      return 'done';
    } catch (error) {
      if (dead) return 'crashed';
      if (error instanceof EffectDeferredError) return 'retry';
      return classifyError(error).code === 'unknown_outcome' ? 'unknown' : 'retry';
    }
  }
}
