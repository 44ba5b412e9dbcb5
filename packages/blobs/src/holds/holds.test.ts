import { freePort } from '@fairlane/testkit';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RENEW_MS } from '../bounds.js';
import { Holds } from './holds.js';

const redis = useRedis();
const START_MS = 1_700_000_000_000;
const ID = 'blob-1';
const FACTS = { owner: 'job-1', holdMs: 1_000, digest: 'd', bytes: 5 };

let holds: Holds;
let nowMs: number;

beforeEach(() => {
  nowMs = START_MS;
  holds = new Holds({
    redis: redis.url,
    prefix: redis.prefix,
    onError: () => undefined,
    nowMs: () => nowMs,
  });
});
afterEach(() => holds.close());

function register(owner = 'job-1', holdMs = 1_000) {
  return holds.hold(ID, { owner, holdMs, register: true });
}

function look(...needed: string[]) {
  return holds.ended(ID).then((ended) => holds.settle(ID, ended, new Set(needed)));
}

/** Every key as the script left it, times counted from the start. */
async function state(): Promise<Record<string, unknown>> {
  const { client, prefix } = redis;
  const found: Record<string, unknown> = {};
  for (const key of await client.keys(`${prefix}*`)) {
    const name = key.slice(`${prefix}:blobs:`.length);
    const type = await client.type(key);
    if (type === 'hash') found[name] = await client.hgetall(key);
    else if (type === 'string') found[name] = await client.get(key);
    else {
      const members = await client.zrangebyscore(key, '-inf', '+inf');
      const scores = await Promise.all(members.map((member) => client.zscore(key, member)));
      found[name] = Object.fromEntries(members.map((member, at) => [member, Number(scores[at]) - START_MS]));
    }
  }
  return found;
}

it('hold registers a blob that is about to be stored', async () => {
  expect(await register()).toBe(START_MS + 1_000);
  expect(await state()).toEqual({ 'holders:blob-1': { 'job-1': 1_000 }, due: { 'blob-1': 1_000 } });
});

it('hold of one more owner makes the blob due no later', async () => {
  await register();
  expect(await holds.hold(ID, { owner: 'job-2', holdMs: 500, register: false })).toBe(START_MS + 500);
  expect(await holds.hold(ID, { owner: 'job-3', holdMs: 9_000, register: false })).toBe(START_MS + 9_000);
  expect(await state()).toEqual({
    'holders:blob-1': { 'job-2': 500, 'job-1': 1_000, 'job-3': 9_000 },
    due: { 'blob-1': 500 },
  });
});

it('hold leaves no trace of a blob that it does not know', async () => {
  expect(await holds.hold(ID, { owner: 'job-1', holdMs: 1_000, register: false })).toBeUndefined();
  expect(await state()).toEqual({});
});

it('publish makes the bytes known and holds on', async () => {
  await register();
  nowMs += 900;
  expect(await holds.publish(ID, FACTS)).toBe(START_MS + 1_900);
  expect(await holds.find('d')).toEqual({ id: ID, bytes: 5 });
  expect(await state()).toEqual({
    'holders:blob-1': { 'job-1': 1_900 },
    due: { 'blob-1': 1_000 },
    'facts:blob-1': { digest: 'd', bytes: '5' },
    'digest:d': 'blob-1',
  });
});

it('publish refuses an owner whose hold is lost', async () => {
  expect(await holds.publish(ID, FACTS)).toBeUndefined();
  await register('job-2');
  expect(await holds.publish(ID, FACTS)).toBeUndefined();
  expect(await holds.find('d')).toBeUndefined();
});

it('release makes a blob due at once when nobody else holds it', async () => {
  await register();
  await register('job-2');
  expect(await holds.release(ID, 'job-1')).toBe(true);
  expect(await holds.due(10)).toEqual([]);
  expect(await holds.release(ID, 'job-2')).toBe(true);
  expect(await state()).toEqual({ due: { 'blob-1': 0 } });
  expect(await holds.due(10)).toEqual([ID]);
});

it('release of a blob that is unknown changes nothing', async () => {
  expect(await holds.release(ID, 'job-1')).toBe(false);
  expect(await state()).toEqual({});
});

it('settle renews who needs the blob and lets the others go', async () => {
  await register();
  await register('job-2');
  nowMs += 1_000;
  expect(await holds.due(10)).toEqual([ID]);
  expect(await look('job-2')).toBe(false);
  expect(await state()).toEqual({
    'holders:blob-1': { 'job-2': 1_000 + RENEW_MS },
    due: { 'blob-1': 1_000 + RENEW_MS },
  });
});

it('settle dooms a blob that nobody holds, and nothing of it is known any more', async () => {
  await register();
  await holds.publish(ID, FACTS);
  nowMs += 1_000;
  expect(await look()).toBe(true);
  expect(await state()).toEqual({ doomed: { 'blob-1': 1_000 } });
  expect(await holds.hold(ID, { owner: 'job-2', holdMs: 1_000, register: false })).toBeUndefined();
  expect(await look()).toBe(false);
  expect(await holds.doomed(10)).toEqual([ID]);
  await holds.forget(ID);
  expect(await state()).toEqual({});
});

it('settle leaves the digest to a blob that took it over', async () => {
  await register();
  await holds.publish(ID, FACTS);
  await holds.hold('blob-2', { owner: 'job-2', holdMs: 9_000, register: true });
  await holds.publish('blob-2', { ...FACTS, owner: 'job-2', holdMs: 9_000 });
  nowMs += 1_000;
  expect(await look()).toBe(true);
  expect(await holds.find('d')).toEqual({ id: 'blob-2', bytes: 5 });
});

it('settle of a blob that another sweep settled does nothing', async () => {
  expect(await holds.settle(ID, [{ owner: 'job-1', untilMs: 1 }], new Set())).toBe(false);
  expect(await state()).toEqual({});
});

it('doomUnknown dooms what nobody knows, once', async () => {
  await register();
  expect(await holds.isKnown([ID, 'blob-2'])).toEqual([true, false]);
  expect(await holds.isKnown([])).toEqual([]);
  expect(await holds.doomUnknown(ID)).toBe(false);
  expect(await holds.doomUnknown('blob-2')).toBe(true);
  nowMs += 5;
  expect(await holds.doomUnknown('blob-2')).toBe(true);
  expect(await state()).toMatchObject({ doomed: { 'blob-2': 0 } });
});

it("decides on the server's clock", async () => {
  const real = new Holds({ redis: redis.url, prefix: redis.prefix, onError: () => undefined });
  const [seconds = 0] = await redis.client.time();
  const until = (await real.hold(ID, { owner: 'job-1', holdMs: 60_000, register: true })) ?? 0;
  expect(until - seconds * 1_000).toBeGreaterThanOrEqual(60_000);
  expect(until - seconds * 1_000).toBeLessThan(90_000);
  expect(await real.due(10)).toEqual([]);
  real.close();
});

it('A39 tells once that Redis is away, not with every try to connect', async () => {
  const errors: unknown[] = [];
  const away = new Holds({
    redis: { host: '127.0.0.1', port: await freePort() },
    prefix: redis.prefix,
    onError: (error) => errors.push(error),
  });
  try {
    // Refused after the third try.
    await expect(away.hold(ID, { ...FACTS, register: true })).rejects.toThrow('retries');
    expect(errors).toHaveLength(1);
  } finally {
    away.close();
  }
});
