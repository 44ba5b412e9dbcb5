import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { stateOf } from '../testing-support/dead-jobs.js';
import { startApi, type Answer, type ApiUnderTest, type CallOptions } from '../testing-support/start-api.js';
import { startWorker } from '../testing-support/start-worker.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });
const audited = (api: ApiUnderTest) => api.log.filter(({ audit }) => audit === true);

async function enqueue(
  api: ApiUnderTest,
  overrides: Record<string, unknown> = {},
  query = '',
): Promise<string> {
  const { json } = await api.call('POST', `/v1/jobs/message.send${query}`, { body: message(overrides) });
  return String(json['id']);
}

async function cancel(api: ApiUnderTest, body: unknown, options: CallOptions = {}): Promise<Answer> {
  return api.call('POST', '/v1/jobs/cancel', { ...options, body });
}

/** The operation of an answer, once it is over. */
async function ended(api: ApiUnderTest, { json }: Answer, options: CallOptions = {}) {
  const path = `/v1/operations/${String(json['operation'])}`;
  await expect.poll(async () => (await api.call('GET', path, options)).json['state']).toBe('done');
  return (await api.call('GET', path, options)).json;
}

const statesOf = async (api: ApiUnderTest, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => stateOf(api, id)));

describe('POST /v1/jobs/cancel', () => {
  it('counts first, then cancels what was counted and nothing younger; it is audited', async () => {
    const api = await start();
    const ids = [await enqueue(api), await enqueue(api), await enqueue(api, {}, '?delayMs=60000')];
    const other = await enqueue(api, { accountId: 'other' });
    const filter = { account: 'a1' };
    const dry = await cancel(api, { filter, dryRun: true });
    expect([dry.status, dry.json]).toMatchObject([200, { matched: 3, byState: { ready: 2, scheduled: 1 } }]);
    expect(audited(api)).toEqual([]);
    const until = String(dry.json['until']);
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(until));
    const later = await enqueue(api);
    const answer = await cancel(api, { filter: { ...filter, until } });
    expect([answer.status, answer.json]).toMatchObject([202, { matched: 3, until }]);
    const operation = await ended(api, answer);
    expect(operation).toMatchObject({ kind: 'cancel', matched: 3, done: 3, failed: 0, skipped: 0 });
    expect(await statesOf(api, [...ids, later, other])).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
      'ready',
      'ready',
    ]);
    expect(audited(api)).toMatchObject([
      {
        who: 'operator',
        action: 'cancel_jobs',
        target: { operation: answer.json['operation'] },
        before: { filter: { account: 'a1', until }, matched: 3 },
        after: 'cancelled',
      },
    ]);
  });

  it('takes an empty filter only with `all`, and says so', async () => {
    const api = await start();
    const id = await enqueue(api);
    for (const body of [{}, { filter: {} }, { filter: { until: '2030-01-01T00:00:00Z' } }, { all: false }]) {
      const { status, json } = await cancel(api, body);
      expect([status, json['code']]).toEqual([422, 'empty_filter']);
    }
    for (const body of [{ filter: { colour: 'red' } }, { filter: { state: 'lost' } }, { all: 1 }, []]) {
      expect((await cancel(api, body)).json['code']).toBe('invalid_request');
    }
    expect(await stateOf(api, id)).toBe('ready');
    await ended(api, await cancel(api, { all: true }));
    expect(await stateOf(api, id)).toBe('cancelled');
  });

  it('filters by state, name, tag and time', async () => {
    const api = await start();
    const tagged = await enqueue(api, { campaign: 'spring' });
    const scheduled = await enqueue(api, {}, '?delayMs=60000');
    const plain = await enqueue(api);
    const matched = async (filter: object) => (await cancel(api, { filter, dryRun: true })).json['matched'];
    expect(await matched({ tag: 'spring' })).toBe(1);
    expect(await matched({ state: 'scheduled' })).toBe(1);
    expect(await matched({ name: 'alert.raise' })).toBe(0);
    expect(await matched({ since: new Date(Date.now() + 60_000).toISOString() })).toBe(0);
    expect(await matched({ account: 'a1', until: new Date(Date.now() - 60_000).toISOString() })).toBe(0);
    await ended(api, await cancel(api, { filter: { tag: 'spring' } }));
    await ended(api, await cancel(api, { filter: { state: 'scheduled' } }));
    expect(await statesOf(api, [tagged, scheduled, plain])).toEqual(['cancelled', 'cancelled', 'ready']);
  });

  it.each(['own-producer', 'own-operator'] as const)(
    'of %s touches its own accounts only, also where the filter names none',
    async (role) => {
      const api = await start();
      const token = api.tokens[role];
      const own = await enqueue(api, { accountId: 'own', campaign: 'spring' });
      const others = await enqueue(api, { accountId: 'other', campaign: 'spring' });
      for (const account of ['other', 'nobody']) {
        const { status, json } = await cancel(api, { filter: { account } }, { token });
        expect([account, status, json['code']]).toEqual([account, 403, 'account_forbidden']);
      }
      expect((await cancel(api, { filter: { tag: 'spring' }, dryRun: true }, { token })).json).toMatchObject({
        matched: 1,
      });
      const answer = await cancel(api, { all: true }, { token });
      expect(answer.json).toMatchObject({ matched: 1 });
      expect(await ended(api, answer, { token })).toMatchObject({ done: 1, by: role });
      expect(await statesOf(api, [own, others])).toEqual(['cancelled', 'ready']);
    },
  );

  it('aborts the signal of running jobs and leaves what has ended', async () => {
    const api = await start();
    const completed = await enqueue(api, { body: 'quick' });
    let aborted = 0;
    await startWorker({ url: redis.url, prefix: redis.prefix }, async ({ body }, { signal }) => {
      if (body === 'quick') return;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted += 1;
      throw signal.reason;
    });
    const running = await enqueue(api, { body: 'slow' });
    await expect.poll(() => statesOf(api, [completed, running])).toEqual(['completed', 'active']);
    const answer = await cancel(api, { all: true });
    expect(await ended(api, answer)).toMatchObject({ matched: 1, done: 1 });
    await expect.poll(() => statesOf(api, [completed, running])).toEqual(['completed', 'cancelled']);
    expect(aborted).toBe(1);
  });

  it('starts once for an Idempotency-Key', async () => {
    const api = await start();
    const headers = { 'idempotency-key': 'k1' };
    const first = await cancel(api, { filter: { tag: 'spring' } }, { headers });
    const again = await cancel(api, { filter: { tag: 'spring' } }, { headers });
    expect([again.status, again.json]).toEqual([202, first.json]);
    const other = await cancel(api, { filter: { tag: 'autumn' } }, { headers });
    expect([other.status, other.json['code']]).toEqual([409, 'idempotency_conflict']);
    expect(audited(api)).toHaveLength(1);
  });
});

describe('an operation of a producer', () => {
  it('is for itself and for operators of all accounts to see and to stop; others learn nothing of it', async () => {
    const api = await start();
    const token = api.tokens['own-producer'];
    const { json } = await cancel(api, { filter: { account: 'own' } }, { token });
    const path = `/v1/operations/${String(json['operation'])}`;
    const ask = async (method: string, url: string, role: keyof typeof api.tokens) =>
      (await api.call(method, url, { token: api.tokens[role] })).status;
    for (const role of ['producer', 'own-operator'] as const) {
      expect([role, await ask('GET', path, role)]).toEqual([role, 404]);
    }
    expect(await ask('POST', `${path}/cancel`, 'producer')).toBe(404);
    expect(await ask('POST', `${path}/cancel`, 'own-operator')).toBe(403);
    for (const role of ['own-producer', 'operator'] as const) {
      expect([role, await ask('GET', path, role)]).toEqual([role, 200]);
      expect([role, await ask('POST', `${path}/cancel`, role)]).toEqual([role, 200]);
    }
  });
});

describe('fairlane_jobs_finished_total', () => {
  it('counts a waiting job once where it was cancelled, by one call or by many, and a running one at its worker', async () => {
    const api = await start();
    const one = await enqueue(api);
    await enqueue(api);
    await enqueue(api, {}, '?delayMs=60000');
    await api.call('POST', `/v1/jobs/${one}/cancel`);
    await api.call('POST', `/v1/jobs/${one}/cancel`);
    await ended(api, await cancel(api, { all: true }));
    const outcomes: string[] = [];
    const worker = await startWorker(
      redis,
      async (_payload, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw signal.reason;
      },
      { hooks: { onAttemptEnded: ({ outcome }) => outcomes.push(outcome) } },
    );
    const running = await enqueue(api);
    await expect.poll(() => stateOf(api, running)).toBe('active');
    await api.call('POST', `/v1/jobs/${running}/cancel`);
    await expect.poll(() => stateOf(api, running)).toBe('cancelled');
    await worker.close();
    expect(outcomes).toEqual(['cancel']);
    const { text } = await api.call('GET', '/metrics');
    expect(text.split('\n').filter((line) => line.startsWith('fairlane_jobs_finished_total{'))).toEqual([
      'fairlane_jobs_finished_total{queue="outreach",name="message.send",outcome="cancelled",code=""} 3',
    ]);
    // The shared minutes count all four: cancelled ones are part of the rate at which a queue finishes.
    await expect
      .poll(async () => (await api.call('GET', '/v1/queues/outreach')).json['lastHour'])
      .toMatchObject({ cancelled: 4 });
  });
});
