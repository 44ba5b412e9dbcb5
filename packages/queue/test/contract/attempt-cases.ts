import {
  httpError,
  PermanentError,
  RetryableError,
  ThrottledError,
  type HandlerContext,
} from '@fairlane/sdk';
import { describe, expect, it } from 'vitest';
import type { ContractJob, Harness } from './harness.js';
import { BASE_MS, noteJob } from './note-job.js';

const payload = { accountId: 'acme', note: 'n-1', extra: 'spring' };
/** A wait may be longer than it has to be: the machine of a test is busy. */
const SLACK_MS = 5_000;

/** Throws these one after the other, then succeeds. */
function failing(...errors: unknown[]) {
  return async () => {
    if (errors.length > 0) throw errors.shift();
    return { printed: true };
  };
}

/** Throws whatever is asked of it. */
function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable(new Error('gone'), {});
  revoke();
  return proxy;
}

const untilAborted = async ({ signal }: Pick<HandlerContext, 'signal'>) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

function expectWaits(job: ContractJob, ...expected: number[]): void {
  expect(job.waitsMs).toHaveLength(expected.length);
  for (const [index, ms] of expected.entries()) {
    expect(job.waitsMs[index]).toBeGreaterThanOrEqual(ms - 2);
    expect(job.waitsMs[index]).toBeLessThan(ms + SLACK_MS);
  }
}

/** What a handler and its job go through without effects. */
export function describeAttempts(harness: Harness): void {
  describe('an attempt', () => {
    it('gives the handler its parsed payload, who the job is, and the attempt', async () => {
      const seen: unknown[] = [];
      const implementation = noteJob(async (given, { job, attempt }) => {
        seen.push(given, job, attempt);
      });
      const job = await harness.start(implementation, payload);
      expect(await job.untilEnd()).toMatchObject({
        state: 'completed',
        result: null,
        attempts: { made: 1, max: 4 },
      });
      const info = { key: job.key, name: 'note.print', version: 1, account: 'acme', limitGroup: 'default' };
      expect(seen).toMatchObject([{ ...payload, copies: 1 }, { ...info, tag: 'spring' }, 1]);
    });

    it.each([
      ['a date', { at: new Date(0), missing: undefined }, { at: '1970-01-01T00:00:00.000Z' }],
      ['A24 a BigInt', 12n, { unserialisable: expect.stringContaining('BigInt') as unknown }],
      ['A24 a function', () => 1, { unserialisable: 'a function is not a JSON value' }],
      ['too large', 'x'.repeat(300_000), { tooLarge: true, bytes: 300_002 }],
    ])('stores its result as JSON: %s', async (_what, result, stored) => {
      const job = await harness.start(
        noteJob(async () => result),
        payload,
      );
      expect((await job.untilEnd()).result).toEqual(stored);
    });

    it.each([
      ['an error whose stack is a list', Object.assign(new Error('odd'), { stack: [{ line: 1 }] })],
      ['what cannot be looked at', revoked()],
    ])('A24 that threw %s is made again like any other', async (_what, thrown) => {
      const implementation = noteJob(failing(thrown), { retry: { baseMs: 1, capMs: 2 } });
      const job = await harness.start(implementation, payload);
      expect(await job.untilEnd()).toMatchObject({ state: 'completed', attempts: { made: 2 } });
    });

    it('that failed is made again after the backoff, on the payload as it was stored', async () => {
      const seen: unknown[] = [];
      const fail = failing(new RetryableError(), undefined, new TypeError('odd'));
      const implementation = noteJob(async (given, { attempt }) => {
        seen.push([attempt, given.note]);
        given.note = 'changed';
        return fail();
      });
      const job = await harness.start(implementation, payload);
      expect(await job.untilEnd()).toMatchObject({ state: 'completed', result: { printed: true } });
      expect(seen).toEqual([1, 2, 3, 4].map((attempt) => [attempt, 'n-1']));
      expectWaits(job, BASE_MS / 2, BASE_MS, BASE_MS * 2);
    });

    it('waits as long as the outside asked for', async () => {
      const error = httpError(new Response(null, { status: 503, headers: { 'retry-after': '1' } }));
      const job = await harness.start(noteJob(failing(error)), payload);
      await job.untilEnd();
      expectWaits(job, 1_000);
    });

    it('that is the last one leaves the job dead', async () => {
      const error = new RetryableError({ reason: 'out of paper' });
      const implementation = noteJob(failing(error, error), { retry: { attempts: 2, baseMs: 1 } });
      const job = await harness.start(implementation, payload);
      expect(await job.untilEnd()).toMatchObject({
        state: 'dead',
        code: 'attempts_exhausted',
        errorClass: 'retryable',
        message: 'out of paper',
        attempts: { made: 2, max: 2 },
      });
    });

    it('that cannot succeed leaves it dead at once, with code and reason', async () => {
      const error = httpError(new Response(null, { status: 404 }), { from: 'the printer' });
      const job = await harness.start(noteJob(failing(error)), payload);
      expect(await job.untilEnd()).toMatchObject({
        state: 'dead',
        code: 'target_gone',
        errorClass: 'permanent',
        message: 'the printer answered 404',
        attempts: { made: 1 },
      });
    });

    it('A11 that is throttled does not count', async () => {
      const throttled = new ThrottledError({ retryAfterMs: 30 });
      const job = await harness.start(noteJob(failing(throttled, throttled, new RetryableError())), payload);
      expect(await job.untilEnd()).toMatchObject({ state: 'completed', attempts: { made: 2 } });
      expectWaits(job, 30, 30, BASE_MS / 2);
    });

    it('A11 that is throttled without end leaves the job dead', async () => {
      const implementation = noteJob(
        async () => {
          throw new ThrottledError({ retryAfterMs: 100 });
        },
        { retry: { maxDeferMs: 250 } },
      );
      const job = await harness.start(implementation, payload);
      expect(await job.untilEnd()).toMatchObject({ state: 'dead', code: 'throttled', attempts: { made: 1 } });
    });

    it('that takes too long is told by its signal, and the last one leaves the job dead with timeout', async () => {
      const names: string[] = [];
      const implementation = noteJob(
        async (_payload, { signal }) => {
          await untilAborted({ signal }).catch((error: Error) => names.push(error.name));
          throw signal.reason;
        },
        { timeoutMs: 100, retry: { attempts: 2, baseMs: 1 } },
      );
      const job = await harness.start(implementation, payload);
      for (let attempt = 0; attempt < 2; attempt += 1) {
        if (names.length === attempt) await job.untilState('active');
        await job.letTimePass(100);
      }
      expect(await job.untilEnd()).toMatchObject({ state: 'dead', code: 'timeout', attempts: { made: 2 } });
      expect(names).toEqual(['TimeoutError', 'TimeoutError']);
    });
  });

  describe('a cancel', () => {
    it('ends a job that waits', async () => {
      const job = await harness.start(
        noteJob(failing(new RetryableError({ retryAfterMs: 60_000 }))),
        payload,
      );
      await job.untilState('retrying');
      await job.cancel();
      expect(await job.untilState('cancelled')).toMatchObject({ attempts: { made: 1 } });
    });

    it('is told to a handler that runs, and ends the job with it', async () => {
      const job = await harness.start(
        noteJob(async (_payload, context) => untilAborted(context)),
        payload,
      );
      await job.untilState('active');
      await job.letTimePass(0);
      await job.cancel();
      expect(await job.untilEnd()).toMatchObject({ state: 'cancelled' });
    });

    it.each([
      ['a result', async () => 'done all the same', { state: 'completed', result: 'done all the same' }],
      ['a definite failure', failing(new PermanentError()), { state: 'dead', code: 'rejected' }],
    ])('comes too late for %s', async (_what, end, expected) => {
      const implementation = noteJob(async (_payload, context) => {
        await untilAborted(context).catch(() => undefined);
        return end();
      });
      const job = await harness.start(implementation, payload);
      await job.untilState('active');
      await job.letTimePass(0);
      await job.cancel();
      expect(await job.untilEnd()).toMatchObject(expected);
    });
  });

  it('a dead job that is replayed is a new run with fresh attempts', async () => {
    const job = await harness.start(noteJob(failing(new PermanentError(), new RetryableError())), payload);
    await job.untilState('dead');
    expect(await job.replay()).toBe(true);
    expect(await job.untilState('completed')).toMatchObject({ attempts: { made: 2 } });
  });
}
