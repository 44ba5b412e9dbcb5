import { httpError, PermanentError, RetryableError, ThrottledError, type EffectCall } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import type { ConsumerHooks } from '../index.js';
import { defineParcelJob } from '../../test/support/parcels.js';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';

const redis = useRedis();
const world = new World(redis);
const payload = { accountId: 'acme', parcel: 'p-1', note: 'spring' };
const QUICK = { baseMs: 1, capMs: 2 };

describe('an attempt', () => {
  it('gives the handler the payload and who the job is, and stores progress and result', async () => {
    const producer = world.producer();
    const result = await producer.enqueue(world.job, payload);
    let seen: unknown;
    let proceed: (() => void) | undefined;
    await world.consumer(async (given, ctx) => {
      const { job, attempt, signal } = ctx;
      seen = { given, job, attempt, aborted: signal.aborted };
      ctx.logger.info({ weightGrams: 12 }, 'weighed');
      await ctx.progress({ step: 1 });
      await new Promise<void>((resolve) => (proceed = resolve));
      return { label: 'L-1' };
    });
    const id = idOf(result);
    await until('progress is stored', async () => (await producer.job(id))?.progress !== undefined);
    const active = await world.untilState(producer, id, 'active');
    expect(active).toMatchObject({
      progress: { step: 1 },
      startedAt: expect.any(String),
      worker: expect.stringContaining(String(process.pid)),
    });
    expect(Date.parse(active.leaseExpiresAt ?? '')).toBeGreaterThan(Date.now());
    proceed?.();
    expect(await world.untilState(producer, id, 'completed')).toMatchObject({
      result: { label: 'L-1' },
      attempts: { made: 1, max: 8 },
      finishedAt: expect.any(String),
    });
    expect(seen).toEqual({
      given: payload,
      job: {
        id,
        key: result.outcome === 'refused' ? '' : result.key,
        name: 'parcel.send',
        version: 1,
        queue: 'parcels',
        account: 'acme',
        limitGroup: 'default',
        tag: 'spring',
      },
      attempt: 1,
      aborted: false,
    });
    const line = world.lines.find(({ message }) => message === 'weighed');
    expect(line?.fields).toEqual({
      jobId: id,
      job: 'parcel.send',
      account: 'acme',
      attempt: 1,
      weightGrams: 12,
    });
  });

  it('is dead at once on a permanent error, with code, status and reason, and the payload kept', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await world.consumer(async () => {
      throw httpError(new Response(null, { status: 404 }), { from: 'the depot' });
    });
    const view = await world.untilState(producer, id, 'dead');
    expect(view).toMatchObject({
      attempts: { made: 1 },
      lastError: {
        code: 'target_gone',
        class: 'permanent',
        status: 404,
        message: expect.stringContaining('depot'),
      },
    });
    const { queue } = world.queue();
    const job = await queue.getJob(id);
    expect(job?.data).toEqual({ v: 1, p: payload });
    expect(job?.failedReason).toMatch(/^target_gone: .*depot/);
  });

  it('ends with attempts_exhausted after the last attempt, and keeps a bounded history', async () => {
    world.job = defineParcelJob({ retry: { attempts: 12, ...QUICK } });
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    let runs = 0;
    await world.consumer(async () => {
      runs += 1;
      throw new RetryableError({ reason: `failure ${runs}` });
    });
    const view = await world.untilState(producer, id, 'dead');
    expect(runs).toBe(12);
    expect(view).toMatchObject({
      attempts: { made: 12, max: 12 },
      lastError: { code: 'attempts_exhausted', class: 'retryable', message: 'failure 12' },
    });
    expect(view.failures?.map(({ attempt }) => attempt)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    const worker = expect.stringContaining(`-${process.pid}`) as string;
    expect(view.failures?.at(-1)).toMatchObject({ class: 'retryable', message: 'failure 3', worker });
  });

  it('does not count throttled starts: 20 of them, then a success, is one attempt', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    const attempts: number[] = [];
    await world.consumer(async (_payload, { attempt }) => {
      attempts.push(attempt);
      if (attempts.length <= 20) throw new ThrottledError({ retryAfterMs: 1 });
    });
    const view = await world.untilState(producer, id, 'completed');
    expect(attempts).toEqual(Array.from({ length: 21 }, () => 1));
    expect(view.attempts.made).toBe(1);
    expect(view.stalls).toBe(0);
  });

  it('A11 throttled 20 times, failed twice and then done is three attempts of three', async () => {
    world.job = defineParcelJob({ retry: { attempts: 3, ...QUICK } });
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    let runs = 0;
    await world.consumer(async () => {
      runs += 1;
      if (runs <= 20) throw new ThrottledError({ retryAfterMs: 1 });
      if (runs <= 22) throw new Error('the depot is closed');
    });
    const view = await world.untilState(producer, id, 'completed');
    expect(view.attempts).toEqual({ made: 3, max: 3 });
  });

  it('A11 an endless throttle ends at maxDeferMs with throttled', async () => {
    world.job = defineParcelJob({ retry: { maxDeferMs: 300, ...QUICK } });
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    let runs = 0;
    await world.consumer(async () => {
      runs += 1;
      throw new ThrottledError({ retryAfterMs: 20 });
    });
    const view = await world.untilState(producer, id, 'dead');
    expect(view.lastError).toMatchObject({ code: 'throttled', class: 'throttled' });
    expect(runs).toBeGreaterThan(1);
  });

  it('waits as a throttled job with the time it may go on', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await world.consumer(async () => {
      throw new ThrottledError({ retryAfterMs: 3_600_000 });
    });
    const view = await world.untilState(producer, id, 'held');
    expect(view).toMatchObject({
      reason: 'throttled',
      attempts: { made: 0 },
      lastError: { code: 'throttled' },
    });
    expect(Date.parse(view.nextRunAt ?? '') - Date.now()).toBeGreaterThan(3_590_000);
  });

  it('aborts at its time-out, tries again, and is dead with timeout in the end', async () => {
    world.job = defineParcelJob({ timeoutMs: 50, retry: { attempts: 2, ...QUICK } });
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    const reasons: unknown[] = [];
    await world.consumer(async (_payload, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reasons.push((signal.reason as Error).name);
      throw signal.reason;
    });
    const view = await world.untilState(producer, id, 'dead');
    expect(reasons).toEqual(['TimeoutError', 'TimeoutError']);
    expect(view).toMatchObject({ lastError: { code: 'timeout' }, attempts: { made: 2, max: 2 } });
  });

  it.each([
    [
      'a permanent error named as BullMQ names its own',
      Object.assign(new PermanentError(), { name: 'DelayedError' }),
    ],
    ["BullMQ's rate-limit text", new PermanentError({ reason: 'bullmq:rateLimitExceeded' })],
  ])('is not misled by %s', async (_what, error) => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    await world.consumer(async () => {
      throw error;
    });
    expect(await world.untilState(producer, id, 'dead')).toMatchObject({ lastError: { code: 'rejected' } });
  });

  it('performs an effect with the idempotency key and reference, once a name', async () => {
    const producer = world.producer();
    const result = await producer.enqueue(world.job, payload);
    const key = result.outcome === 'refused' ? '' : result.key;
    const calls: unknown[] = [];
    const perform = async ({ idempotencyKey, reference }: EffectCall) => {
      calls.push({ idempotencyKey, reference });
      return 'sent';
    };
    await world.consumer(async (_payload, { effect }) => {
      const sent = await effect('send', { perform });
      const twice = await effect('send', { perform }).catch((error: Error) => error.message);
      return { sent, twice };
    });
    const view = await world.untilState(producer, idOf(result), 'completed');
    expect(view.result).toEqual({ sent: 'sent', twice: 'effect "send" was used twice in one attempt' });
    expect(calls).toEqual([{ idempotencyKey: `${key}:send`, reference: key }]);
  });

  it('tells hooks what happened', async () => {
    world.job = defineParcelJob({ retry: QUICK });
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, payload));
    const seen: string[] = [];
    const hooks: ConsumerHooks = {
      onStarted: ({ queue, name, waitedMs }) =>
        seen.push(`start ${queue} ${name} ${waitedMs === undefined ? '-' : waitedMs >= 0}`),
      onFailedAttempt: ({ class: errorClass, code }) => seen.push(`failed ${errorClass} ${code}`),
      onAttemptEnded: ({ outcome, code, processingMs }) =>
        seen.push(`end ${outcome} ${code ?? '-'} ${(processingMs ?? -1) >= 0}`),
    };
    let runs = 0;
    await world.consumer(
      async () => {
        runs += 1;
        if (runs === 1) throw new Error('odd');
      },
      { hooks },
    );
    await world.untilState(producer, id, 'completed');
    await expect
      .poll(() => seen)
      .toEqual([
        'start parcels parcel.send true',
        'failed unknown unclassified',
        'end retry - true',
        'start parcels parcel.send -',
        'end completed - true',
      ]);
  });
});
