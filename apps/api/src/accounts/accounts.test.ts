import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it, vi } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { deadJobs, Outside } from '../testing-support/dead-jobs.js';
import { startApi, type Answer } from '../testing-support/start-api.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });
const unlimited = { limit: null, perMs: null, burst: null, maxInFlight: null };
const window = { zone: 'America/New_York', days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' };

/** Audit lines so far, without what differs from run to run. */
function auditLines(log: Record<string, unknown>[]) {
  return log
    .filter((line) => line['audit'] === true)
    .map(({ who, role, action, target, before, after }) => ({ who, role, action, target, before, after }));
}

function itemsOf({ json }: Answer): unknown {
  return json['items'];
}

describe('limits of an account', () => {
  it('are set, shown as they were set, replaced and taken away, each with an audit line', async () => {
    const api = await start();
    const token = api.tokens.limits;
    const path = '/v1/accounts/a1/limits/email';
    const first = { limit: 60, perMs: 60_000, burst: 60, maxInFlight: 5 };
    const set = await api.call('PUT', path, { token, body: { limit: 60, perMs: 60_000, maxInFlight: 5 } });
    expect([set.status, set.json]).toEqual([200, { account: 'a1', group: 'email', limits: first }]);
    const view = await api.call('GET', '/v1/accounts/a1', { token });
    expect(view.json['gates']).toEqual([{ group: 'email', limits: first, tokens: 60, inFlight: 0 }]);

    const second = { limit: 1, perMs: 1_000, burst: 10, maxInFlight: null };
    const replaced = await api.call('PUT', path, { token, body: { limit: 1, perMs: 1_000, burst: 10 } });
    expect(replaced.json['limits']).toEqual(second);
    const removed = await api.call('DELETE', path, { token });
    expect([removed.status, removed.json['limits']]).toEqual([200, unlimited]);

    const by = { who: 'limits', role: 'limits', target: { account: 'a1', group: 'email' } };
    expect(auditLines(api.log)).toEqual([
      { ...by, action: 'set_limits', before: unlimited, after: first },
      { ...by, action: 'set_limits', before: first, after: second },
      { ...by, action: 'remove_limits', before: second, after: unlimited },
    ]);
  });

  it.each([
    {},
    { limit: 0, perMs: 1000 },
    { limit: -1, perMs: 1000 },
    { limit: 1 },
    { perMs: 1000 },
    { limit: 1, perMs: 0 },
    { limit: 1e-9, perMs: 1000 },
    { limit: 1e9, perMs: 1 },
    { limit: 1, perMs: 1000, burst: 0 },
    { limit: '1', perMs: 1000 },
    { limit: 1, perMs: 1000, maxInFlight: 1.5 },
    { limit: 1, perMs: 1000, more: true },
    { burst: 5, maxInFlight: 1 },
    [],
    null,
  ])('%j is refused with 422 and changes nothing', async (body) => {
    const api = await start();
    const { status, json } = await api.call('PUT', '/v1/accounts/a1/limits/email', { body });
    expect([status, json['code'], typeof json['detail']]).toEqual([422, 'invalid_limits', 'string']);
    expect((await api.call('GET', '/v1/accounts/a1')).status).toBe(404);
    expect(auditLines(api.log)).toEqual([]);
  });

  it('need a declared group', async () => {
    const api = await start();
    for (const group of ['fax', '__proto__', 'constructor', 'EMAIL']) {
      for (const [method, body] of [
        ['PUT', { limit: 1, perMs: 1000 }],
        ['DELETE', undefined],
      ] as const) {
        const { status, json } = await api.call(method, `/v1/accounts/a1/limits/${group}`, { body });
        expect([method, group, status, json['code']]).toEqual([method, group, 422, 'invalid_limits']);
      }
    }
  });
});

describe('settings of an account', () => {
  it('weight and hours are set apart from each other; null takes the hours away', async () => {
    const api = await start();
    const put = (body: unknown) => api.call('PUT', '/v1/accounts/a1', { body });
    expect((await put({ weight: 2 })).json).toEqual({ account: 'a1', weight: 2, windows: null });
    expect((await put({ windows: [window] })).json).toEqual({ account: 'a1', weight: 2, windows: [window] });
    expect((await put({ windows: null })).json).toEqual({ account: 'a1', weight: 2, windows: null });
    expect(auditLines(api.log).map(({ before, after }) => [before, after])).toEqual([
      [
        { account: 'a1', weight: 1, windows: null },
        { account: 'a1', weight: 2, windows: null },
      ],
      [
        { account: 'a1', weight: 2, windows: null },
        { account: 'a1', weight: 2, windows: [window] },
      ],
      [
        { account: 'a1', weight: 2, windows: [window] },
        { account: 'a1', weight: 2, windows: null },
      ],
    ]);
  });

  it.each([
    {},
    { weight: 0 },
    { weight: 1e9 },
    { windows: [] },
    { windows: [{ ...window, from: '25:99' }] },
    { windows: [{ ...window, from: '' }] },
    { windows: [{ ...window, from: '09:00', to: '09:00' }] },
    { windows: [{ ...window, zone: 'Mars/Olympus' }] },
    { windows: [{ ...window, zone: '' }] },
    { windows: [{ ...window, days: [] }] },
    { windows: [{ ...window, days: [0] }] },
    { windows: Array.from({ length: 33 }, () => window) },
  ])('A19 %j is refused with 422, nothing is held by it', async (body) => {
    const api = await start();
    const { status, json } = await api.call('PUT', '/v1/accounts/a1', { body });
    expect([status, json['code']]).toEqual([422, 'invalid_limits']);
    expect((await api.call('GET', '/v1/accounts/a1')).status).toBe(404);
  });
});

describe('pause and resume', () => {
  it('keep who and when, and change nothing the second time', async () => {
    const api = await start();
    const pause = () => api.call('POST', '/v1/accounts/a1/pause', { token: api.tokens.limits });
    const paused = await pause();
    expect(paused.json).toEqual({
      account: 'a1',
      paused: { by: 'limits', at: expect.any(String) as string },
    });
    const again = await api.call('POST', '/v1/accounts/a1/pause');
    expect(again.json).toEqual(paused.json);
    const view = await api.call('GET', '/v1/accounts/a1', { token: api.tokens.viewer });
    expect(view.json['paused']).toEqual(paused.json['paused']);
    expect(view.json['explanation']).toMatch(
      /^Nothing starts because limits paused this account at \d\d:\d\d(:\d\d)? \(UTC\), until someone resumes it\. Nothing is waiting/,
    );
    const resumed = await api.call('POST', '/v1/accounts/a1/resume');
    expect(resumed.json).toEqual({ account: 'a1', paused: null });
    expect(auditLines(api.log).map(({ who, action }) => [who, action])).toEqual([
      ['limits', 'pause_account'],
      ['operator', 'pause_account'],
      ['operator', 'resume_account'],
    ]);
  });
});

describe('accounts', () => {
  it('nothing is known of an account without jobs and settings', async () => {
    const api = await start();
    const { status, json } = await api.call('GET', '/v1/accounts/nobody');
    expect([status, json['code']]).toEqual([404, 'unknown_account']);
  });

  it('A25 names that every object has are accounts like others', async () => {
    const api = await start();
    for (const account of ['__proto__', 'constructor', 'toString', 'a:b', 'a b', '😀', 'a/b']) {
      const path = `/v1/accounts/${encodeURIComponent(account)}`;
      await api.call('PUT', `${path}/limits/email`, { body: { limit: 2, perMs: 1000 } });
      const { status, json } = await api.call('GET', path);
      expect([status, json['account'], json['weight']]).toEqual([200, account, 1]);
      expect(json['gates']).toMatchObject([{ group: 'email', limits: { limit: 2 } }]);
    }
    expect(({} as Record<string, unknown>)['limit']).toBeUndefined();
  });

  it('a token limited to accounts changes those only, and reads others as if they were not', async () => {
    const api = await start();
    await api.call('PUT', '/v1/accounts/other/limits/email', { body: { limit: 2, perMs: 1000 } });
    await api.call('PUT', '/v1/accounts/own/limits/email', { body: { limit: 2, perMs: 1000 } });
    const token = api.tokens['own-limits'];
    const headers = { 'x-request-id': 'same' };
    const foreign = await api.call('GET', '/v1/accounts/other', { token, headers });
    const unknown = await api.call('GET', '/v1/accounts/nobody', { token, headers });
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    for (const [method, path, body] of [
      ['PUT', '/v1/accounts/other', { weight: 3 }],
      ['PUT', '/v1/accounts/other/limits/email', { limit: 9, perMs: 1000 }],
      ['DELETE', '/v1/accounts/other/limits/email', undefined],
      ['POST', '/v1/accounts/other/pause', undefined],
      ['POST', '/v1/accounts/other/resume', undefined],
      ['PUT', '/v1/accounts/nobody', { weight: 3 }],
    ] as const) {
      const { status, json } = await api.call(method, path, { token, body });
      expect([method, path, status, json['code']]).toEqual([method, path, 403, 'account_forbidden']);
    }
    const untouched = await api.call('GET', '/v1/accounts/other');
    expect(untouched.json).toMatchObject({ weight: 1, paused: null, gates: [{ limits: { limit: 2 } }] });
    expect((await api.call('PUT', '/v1/accounts/own', { token, body: { weight: 3 } })).status).toBe(200);
  });

  it('R13 a row of the list says what the page of its account says, with what waits, is held and is dead', async () => {
    const api = await start();
    await deadJobs(redis, api, Outside.refuses, [{ accountId: 'a1' }, { accountId: 'a1' }]);
    for (const accountId of ['a1', 'a1', 'a1', 'b1']) {
      await api.call('POST', '/v1/jobs/message.send', { body: message({ accountId }) });
    }
    await api.call('POST', '/v1/accounts/a1/pause');
    const byAge = await api.call('GET', '/v1/accounts');
    const bySearch = await api.call('GET', '/v1/accounts?search=a');
    const view = await api.call('GET', '/v1/accounts/a1');
    const explanation = view.json['explanation'];
    expect(explanation).toMatch(/^Nothing starts because operator paused .*\n2 jobs failed for good/);
    const paused = { account: 'a1', waiting: 3, ready: 0, held: 3, active: 0, dead: 2, explanation };
    expect(itemsOf(byAge)).toMatchObject([{ account: 'b1', ready: 1, held: 0, dead: 0 }, paused]);
    expect(itemsOf(bySearch)).toMatchObject([paused]);
  });

  it('R5 hours begin by the clock of Redis, which opens the gates, whatever the clock of the API', async () => {
    const api = await start();
    const [hour, dayAfter] = [3_600_000, new Date(Date.now() + 86_400_000)];
    const day = dayAfter.getUTCDay() || 7;
    await api.call('PUT', '/v1/accounts/a1', {
      body: { windows: [{ zone: 'UTC', days: [day], from: '00:00', to: '24:00' }] },
    });
    await api.call('POST', '/v1/jobs/message.send', { body: message({ accountId: 'a1' }) });
    const told = async () => (await api.call('GET', '/v1/accounts/a1')).json['explanation'];
    const before = await told();
    // By this clock the hours have begun.
    vi.useFakeTimers({
      toFake: ['Date'],
      now: dayAfter.getTime() - (dayAfter.getTime() % (24 * hour)) + hour,
    });
    try {
      expect(await told()).toBe(before);
      expect(before).toContain('the hours of the account still hold it until');
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    'limit=0',
    'limit=501',
    'limit=x',
    'sort=newest',
    'search=',
    'cursor=' + 'x'.repeat(3000),
    'limits=1',
  ])('refuses the query %s', async (query) => {
    const api = await start();
    const { status, json } = await api.call('GET', `/v1/accounts?${query}`);
    expect([status, json['code']]).toEqual([400, 'invalid_request']);
  });

  it('refuses a cursor that it did not give out', async () => {
    const api = await start();
    const forged = Buffer.from('-5').toString('base64url');
    for (const cursor of ['', 'x', '.', forged, `${forged}.`, `${forged}.AAAAAAAAAAAAAAAA`]) {
      const { status, json } = await api.call('GET', `/v1/accounts?cursor=${cursor}`);
      expect([cursor, status, json['code']]).toEqual([cursor, 400, 'invalid_request']);
    }
  });
});
