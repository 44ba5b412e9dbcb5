import { startSandbox, type Sandbox } from '@fairlane/testkit/sandbox';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { strike, type Outcome, type Strike } from './stricken-job.js';

const redis = useRedis();
let sandbox: Sandbox;

const strikes: Strike[] = [];
const outcomes = new Map<Strike, Promise<Outcome>>();

/** All begin at once, since most of their time is waiting for leases: the tests only look at how they ended. */
function striking(point: Strike['point'], kind: Strike['kind'], by: Strike['by']): () => Promise<Outcome> {
  const one = { point, kind, by };
  strikes.push(one);
  return async () => outcomes.get(one) ?? Promise.reject(new Error('beforeAll did not run'));
}

beforeAll(async () => {
  sandbox = await startSandbox();
  for (const one of strikes) {
    const outcome = strike({ redis: redis.server, sandbox }, one);
    outcome.catch(() => undefined);
    outcomes.set(one, outcome);
  }
});
afterAll(async () => {
  await Promise.allSettled(outcomes.values());
  await sandbox.stop();
}, 240_000);

const sentOnce = { requests: 1, applied: 1, lastStatus: 200, ambiguous: false };

describe('a worker killed', { timeout: 240_000 }, () => {
  // Protected by `gated.release(c, id)` in lanes' redirect.lua: the claim ends when the stalled job is taken back.
  const afterAdmission = striking('after admission', 'blind', 'kill');
  test('after admission: the job starts anew (R1, R2)', async () => {
    const { view, seen, endedAfterMs } = await afterAdmission();
    expect(view).toMatchObject({ state: 'completed', stalls: 1 });
    expect(seen).toEqual(sentOnce);
    // Well before the audit would have found a claim that was left behind.
    expect(endedAfterMs).toBeLessThan(30_000);
  });

  // Protected by the last line of `#ask` in the ledger's attempt-effects.ts: what was not applied is begun again.
  const beforePerform = striking('before perform', 'lookup', 'kill');
  test('before perform: the platform is asked, and sent the message once its "no" counts (R1, R2)', async () => {
    expect(await beforePerform()).toMatchObject({ view: { state: 'completed' }, seen: sentOnce });
  });

  // Protected by `#giveUp` in `#cannotTell` of attempt-effects.ts: an outside that cannot be asked is not called again.
  const blindBeforePerform = striking('before perform', 'blind', 'kill');
  test('before perform, where nobody can be asked: a person decides (R2)', async () => {
    const { view, seen } = await blindBeforePerform();
    expect(view).toMatchObject({ state: 'dead', lastError: { code: 'unknown_outcome' } });
    expect(seen).toMatchObject({ requests: 0, applied: 0 });
  });

  // Protected by `if (applied !== undefined)` in `#ask` of attempt-effects.ts: what the platform has is kept.
  const afterSend = striking('after send', 'lookup', 'kill');
  test('A01: after send: the platform is asked, and nothing is sent again (R2)', async () => {
    expect(await afterSend()).toMatchObject({ view: { state: 'completed' }, seen: sentOnce });
  });

  // Protected by `state = 'started'` in the ledger's begin.lua: written before anything is sent.
  const beforeRecord = striking('before record', 'lookup', 'kill');
  test('A01: before record: the platform is asked, and nothing is sent again (R2)', async () => {
    expect(await beforeRecord()).toMatchObject({ view: { state: 'completed' }, seen: sentOnce });
  });

  // Protected by `#replay` of what is done, in `#run` of attempt-effects.ts.
  const beforeFinish = striking('before finish', 'blind', 'kill');
  test('before finish: the ledger gives the result of the first attempt (R2)', async () => {
    const { view, seen } = await beforeFinish();
    expect(view).toMatchObject({ state: 'completed', result: { messageId: expect.stringMatching(/^msg_/) } });
    expect(seen).toEqual(sentOnce);
  });
});

describe('a worker stopped past its lease that goes on', { timeout: 240_000 }, () => {
  // Protected by `takenMsAgo` in the queue's fairlane-worker.ts (a lease counts from before the request for the job), and
  // before that by `socketTimeout` in connections.ts: what it wakes with is given up.
  const afterAdmission = striking('after admission', 'blind', 'stop');
  test('A03: hears of a job that another has finished, and does not even begin (R2)', async () => {
    const { view, seen, effectsAfterStop } = await afterAdmission();
    expect(view).toMatchObject({ state: 'completed', stalls: 1 });
    expect(seen).toEqual(sentOnce);
    expect(effectsAfterStop).toEqual({});
  });

  // Protected by the header `idempotency-key` in the gateway client: nobody here can stop a request on its way.
  const beforePerform = striking('before perform', 'keys', 'stop');
  test('A03: with its request on the way: the platform knows the key and applies it once (R2)', async () => {
    const { view, seen } = await beforePerform();
    expect(view).toMatchObject({ state: 'completed' });
    expect(seen).toMatchObject({ requests: 2, applied: 1 });
  });
});
