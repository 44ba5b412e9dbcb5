import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { AccountPatchInput } from './protocol.js';
import { startSandbox, type Sandbox } from './start-sandbox.js';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7 });
});
afterAll(() => sandbox.stop());

const message = {
  reference: 'r',
  leadId: 'lead-1',
  step: 1,
  campaignRev: 3,
  channel: 'email',
  to: 'a@example.com',
  body: 'hello',
};

function send(account: string, patch: Partial<typeof message> = {}, init: RequestInit = {}) {
  return fetch(`${sandbox.url}/accounts/${account}/messages`, {
    method: 'POST',
    body: JSON.stringify({ ...message, reference: `${account}/r`, ...patch }),
    ...init,
  });
}

function ask(account: string, reference: string) {
  return fetch(`${sandbox.url}/accounts/${account}/messages?reference=${reference}`);
}

async function withAccount(account: string, patch: Omit<AccountPatchInput, 'account'> = {}) {
  await sandbox.setAccounts({ account, ...patch });
  return account;
}

async function recordOf(reference: string) {
  const { byReference } = await sandbox.report({ full: true });
  return byReference?.[reference];
}

/** On a connection of its own, which stays open until it is told to hang up. */
async function sendAndStay(account: string) {
  const agent = new Agent({ keepAlive: true });
  const post = request(`${sandbox.url}/accounts/${account}/messages`, { method: 'POST', agent });
  post.end(JSON.stringify({ ...message, reference: `${account}/r` }));
  const [response] = (await once(post, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, hangUp: () => agent.destroy() };
}

async function isAmbiguousOnceAsked(account: string) {
  await ask(account, `${account}/r`);
  return (await recordOf(`${account}/r`))?.ambiguous;
}

describe('the sandbox platform', () => {
  it('sends a message and keeps its record', async () => {
    const account = await withAccount('plain');
    const response = await send(account);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ id: expect.stringMatching(/^msg_[0-9a-f]{20}$/) });
    expect(await recordOf('plain/r')).toEqual({ requests: 1, applied: 1, lastStatus: 200, ambiguous: false });
  });

  it('lists accounts with kind, limit and revocation, and changes what is given', async () => {
    const limit = { limit: 5, perMs: 1_000, burst: 2 };
    await withAccount('listed', { kind: 'lookup', limit });
    await withAccount('listed', { revoked: true });
    expect(await sandbox.accounts()).toContainEqual({
      account: 'listed',
      kind: 'lookup',
      limit,
      revoked: true,
    });
  });

  it.each([
    ['a probability above 1', { account: 'x', faults: { stall: 1.1 } }],
    ['faults that add up to more than 1', { account: 'x', faults: { stall: 0.6, cutAfter: 0.6 } }],
    ['a limit of 0', { account: 'x', limit: { limit: 0, perMs: 1, burst: 1 } }],
    ['no account', {}],
  ])('refuses %s', async (_, body) => {
    const response = await fetch(`${sandbox.url}/accounts`, { method: 'POST', body: JSON.stringify(body) });
    expect(response.status).toBe(422);
  });

  it('answers 429 with Retry-After as seconds or as an HTTP date in the future', async () => {
    const account = await withAccount('throttled', { faults: { rate429: 1 } });
    const forms = new Set<string>();
    for (let nth = 0; nth < 20; nth += 1) {
      const response = await send(account);
      expect(response.status).toBe(429);
      const value = response.headers.get('retry-after') ?? '';
      if (/^\d+$/.test(value)) forms.add('seconds');
      else if (Date.parse(value) - Date.now() > 500) forms.add('date');
    }
    expect([...forms].toSorted()).toEqual(['date', 'seconds']);
    expect(await recordOf('throttled/r')).toEqual({
      requests: 20,
      applied: 0,
      lastStatus: 429,
      ambiguous: false,
    });
  });

  it('leaves Retry-After out where the account says so', async () => {
    const account = await withAccount('silent', { faults: { rate429: 1, retryAfter: 0 } });
    expect((await send(account)).headers.has('retry-after')).toBe(false);
  });

  it('answers 500, 502, 503 and 504, applied or not, and never applies with a 503', async () => {
    const account = await withAccount('failing', { kind: 'lookup', faults: { rate500: 1 } });
    const seen = new Map<number, Set<number>>();
    for (let nth = 0; nth < 60; nth += 1) {
      const reference = `failing/${nth}`;
      const { status } = await send(account, { reference });
      const applied = (await recordOf(reference))?.applied ?? -1;
      seen.set(status, (seen.get(status) ?? new Set()).add(applied));
    }
    expect(new Set(seen.keys())).toEqual(new Set([500, 502, 503, 504]));
    expect(seen.get(503)).toEqual(new Set([0]));
    expect(seen.get(500)).toEqual(new Set([0, 1]));
  });

  it.each([
    ['cutBefore', 0],
    ['cutAfter', 1],
  ] as const)('closes the connection without an answer: %s', async (fault, applied) => {
    const account = await withAccount(fault, { faults: { [fault]: 1 } });
    await expect(send(account)).rejects.toThrow('fetch failed');
    expect(await recordOf(`${fault}/r`)).toEqual({ requests: 1, applied, lastStatus: 0, ambiguous: true });
  });

  it('stalls until the caller gives up', async () => {
    const account = await withAccount('stalling', { faults: { stall: 1 } });
    await expect(send(account, {}, { signal: AbortSignal.timeout(300) })).rejects.toThrow(/timeout/);
    expect(await recordOf('stalling/r')).toMatchObject({ requests: 1, lastStatus: 0, ambiguous: true });
  });

  it('calls the outcome ambiguous when the caller went away before a good answer', async () => {
    const slow = await startSandbox({ latencyMs: 60_000 });
    const url = `${slow.url}/accounts/slow/messages`;
    await slow.setAccounts({ account: 'slow', kind: 'blind' });
    const init = { method: 'POST', body: JSON.stringify(message), signal: AbortSignal.timeout(100) };
    await expect(fetch(url, init)).rejects.toThrow(/timeout/);
    await expect.poll(async () => (await slow.report()).expectedDead).toBe(1);
    expect(await slow.report({ full: true })).toMatchObject({
      applied: 1,
      byReference: { r: { ambiguous: true } },
    });
    await slow.stop();
  });

  it('answers 401 for a revoked account, 404 for a lead that is gone, 422 for a refused message', async () => {
    const revoked = await withAccount('revoked', { revoked: true });
    const account = await withAccount('marked');
    const before = (await sandbox.report()).expectedDead;
    expect((await send(revoked)).status).toBe(401);
    expect((await send(account, { reference: 'gone', to: 'gone@example.com' })).status).toBe(404);
    expect((await send(account, { reference: 'invalid', to: 'invalid@example.com' })).status).toBe(422);
    expect((await send(account, { reference: 'short', body: 7 as never })).status).toBe(422);
    expect((await send('unknown')).status).toBe(404);
    expect((await sandbox.report()).expectedDead - before).toBe(5);
  });

  it('honours an idempotency key: the same id and no second effect, another body 422', async () => {
    const account = await withAccount('keyed');
    const init = { headers: { 'idempotency-key': 'k1' } };
    const first: unknown = await (await send(account, {}, init)).json();
    expect(await (await send(account, {}, init)).json()).toEqual(first);
    expect(await recordOf('keyed/r')).toMatchObject({ requests: 2, applied: 1 });
    expect((await send(account, { body: 'other' }, init)).status).toBe(422);
    expect(await recordOf('keyed/r')).toMatchObject({ requests: 3, applied: 1 });
  });

  it.each(['lookup', 'blind'] as const)('ignores an idempotency key in a %s account', async (kind) => {
    const account = await withAccount(`keyless-${kind}`, { kind });
    const before = (await sandbox.report()).repeated;
    const init = { headers: { 'idempotency-key': 'k1' } };
    await send(account, {}, init);
    await send(account, {}, init);
    expect(await recordOf(`keyless-${kind}/r`)).toMatchObject({ requests: 2, applied: 2 });
    expect((await sandbox.report()).repeated - before).toBe(1);
  });

  it('can be asked for a reference, except in a blind account', async () => {
    await withAccount('asked', { kind: 'lookup' });
    await withAccount('mute', { kind: 'blind' });
    expect((await ask('asked', 'asked/r')).status).toBe(404);
    const sent: unknown = await (await send('asked')).json();
    const found = await ask('asked', 'asked/r');
    expect(found.status).toBe(200);
    expect(await found.json()).toEqual(sent);
    expect((await ask('mute', 'asked/r')).status).toBe(405);
  });

  it('shows an applied message to a look-up only after the lag of the account', async () => {
    await withAccount('lagging', { kind: 'lookup', lookupLagMs: 3_600_000 });
    await send('lagging');
    expect((await ask('lagging', 'lagging/r')).status).toBe(404);
  });

  it('expects a blind account to end dead after an unknown outcome, whatever is sent later', async () => {
    const account = await withAccount('blind', { kind: 'blind', faults: { cutBefore: 1 } });
    const before = (await sandbox.report()).expectedDead;
    await expect(send(account)).rejects.toThrow('fetch failed');
    await withAccount('blind', { faults: {} });
    expect((await send(account)).status).toBe(200);
    expect((await sandbox.report()).expectedDead - before).toBe(1);
  });

  describe('a blind account that is asked', () => {
    it('expects the end of a caller that went away with its answer, once it asks', async () => {
      const account = await withAccount('killed', { kind: 'blind' });
      const before = (await sandbox.report()).expectedDead;
      const caller = await sendAndStay(account);
      expect(caller.status).toBe(200);
      caller.hangUp();
      await expect.poll(async () => isAmbiguousOnceAsked(account)).toBe(true);
      expect((await sandbox.report()).expectedDead - before).toBe(1);
    });

    it('expects nothing of one that only went away', async () => {
      const account = await withAccount('finished', { kind: 'blind' });
      (await sendAndStay(account)).hangUp();
      expect(await recordOf('finished/r')).toMatchObject({ applied: 1, ambiguous: false });
    });

    it('does not believe one that is still there', async () => {
      const account = await withAccount('forgetful', { kind: 'blind' });
      const caller = await sendAndStay(account);
      expect(await isAmbiguousOnceAsked(account)).toBe(false);
      caller.hangUp();
    });

    it('believes one whose request never came through', async () => {
      const account = await withAccount('cut-off', { kind: 'blind' });
      const before = (await sandbox.report()).expectedDead;
      expect((await ask(account, 'cut-off/r')).status).toBe(405);
      expect((await sandbox.report()).expectedDead - before).toBe(1);
      expect(await recordOf('cut-off/r')).toMatchObject({ requests: 0, applied: 0, ambiguous: true });
    });
  });

  it('counts every request on arrival and the violations of a limit', async () => {
    // No refill to speak of: 3 at once are within the burst, whatever the machine's speed.
    const account = await withAccount('limited', { limit: { limit: 1, perMs: 3_600_000, burst: 3 } });
    const before = await sandbox.report();
    await Promise.all(Array.from({ length: 8 }, (_, nth) => send(account, { reference: `limited/${nth}` })));
    const after = await sandbox.report();
    expect(after.requests - before.requests).toBe(8);
    expect(after.violations - before.violations).toBe(5);
  });

  it('A25: takes __proto__ as a reference and an account like any other text', async () => {
    await withAccount('__proto__');
    expect((await send('__proto__', { reference: '__proto__' })).status).toBe(200);
    const response = await fetch(`${sandbox.url}/report?full=1`);
    expect(await response.text()).toContain('"__proto__":{"requests":1');
  });

  it('refuses a body beyond its bound and a body that is no JSON', async () => {
    const account = await withAccount('large');
    expect((await send(account, { body: 'x'.repeat(300_000) })).status).toBe(413);
    expect((await send(account, {}, { body: '{' })).status).toBe(400);
  });
});
