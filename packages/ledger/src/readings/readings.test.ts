import { freePort, startFaultProxy, startPostgres, type PostgresServer } from '@fairlane/testkit';
import { useRedis } from '@fairlane/testkit/vitest';
import { sql, Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { migrateLedger } from '../postgres/migrate.js';
import { createPostgresReadings, createRedisReadings, type Reading, type Readings } from './index.js';

const redis = useRedis();
let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
  await migrateLedger(postgres.url);
});
afterAll(() => postgres.stop());

function closed(readings: Readings): Readings {
  onTestFinished(() => readings.close());
  return readings;
}

let accounts = 0;
function reading(changes: Partial<Reading> = {}): Reading {
  const at = '2024-05-01T08:00:00.000Z';
  return { accountId: `acme-${accounts}`, host: 'db-1', mount: '/var', percent: 99.5, at, ...changes };
}

const stores: [string, () => Readings][] = [
  ['Redis', () => createRedisReadings({ redis: redis.url, prefix: redis.prefix })],
  ['Postgres', () => createPostgresReadings({ databaseUrl: postgres.url })],
];

describe.each(stores)('readings in %s', (_name, open) => {
  it('come back as they were stored, in UTC, newest first, each account its own', async () => {
    accounts += 1;
    const readings = closed(open());
    const first = reading({ at: '2024-05-01T10:00:00+02:00', mount: '/var/größe "1"' });
    const second = reading({ percent: 100, at: '2024-05-01T09:00:00.123Z' });
    await readings.add(first);
    await readings.add(second);
    await readings.add(reading({ accountId: `other-${accounts}` }));
    expect(await readings.latest(first.accountId, 10)).toEqual([
      second,
      { ...first, at: '2024-05-01T08:00:00.000Z' },
    ]);
    expect(await readings.latest('nobody', 10)).toEqual([]);
  });

  it('are stored once, however often they are sent', async () => {
    accounts += 1;
    const readings = closed(open());
    await Promise.all([1, 2, 3].map(() => readings.add(reading())));
    expect(await readings.latest(reading().accountId, 10)).toHaveLength(1);
  });

  it('R14 are given up to a limit', async () => {
    accounts += 1;
    const readings = closed(open());
    for (let percent = 1; percent <= 5; percent += 1) await readings.add(reading({ percent }));
    expect(await readings.latest(reading().accountId, 2)).toHaveLength(2);
    expect(await readings.latest(reading().accountId, 0)).toHaveLength(1);
  });
});

describe('readings in Redis', () => {
  it('R14 are bounded for an account: the oldest go', async () => {
    const readings = closed(createRedisReadings({ redis: redis.url, prefix: redis.prefix, maxOfAccount: 2 }));
    for (const minute of ['01', '02', '03']) {
      await readings.add(reading({ accountId: 'bounded', at: `2024-05-01T08:${minute}:00.000Z` }));
    }
    const kept = await readings.latest('bounded', 10);
    expect(kept.map(({ at }) => at.slice(14, 16))).toEqual(['03', '02']);
  });

  it('R14 are bounded in all: those of the account that told nothing for longest go', async () => {
    const readings = closed(
      createRedisReadings({ redis: redis.url, prefix: `${redis.prefix}:all`, maxInAll: 3 }),
    );
    for (const accountId of ['quiet', 'a', 'b', 'b', 'c']) {
      await readings.add(reading({ accountId, percent: (accounts += 1) }));
    }
    const left = await Promise.all(['quiet', 'a', 'b', 'c'].map((each) => readings.latest(each, 10)));
    expect(left.map(({ length }) => length)).toEqual([0, 0, 2, 1]);
  });
});

describe('readings in Postgres', () => {
  it('R14 go after their retention', async () => {
    const readings = createPostgresReadings({
      databaseUrl: postgres.url,
      retentionMs: 60_000,
      cleanEvery: 2,
    });
    await readings.add(reading({ accountId: 'kept' }));
    const pool = new Pool({ connectionString: postgres.url });
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    await sql`update fairlane_reading set stored_at = now() - interval '2 minutes'`.execute(db);
    await db.destroy();
    await readings.add(reading({ accountId: 'kept', percent: 50 }));
    // Waits for the clean-up that it left running.
    await readings.close();
    const after = closed(createPostgresReadings({ databaseUrl: postgres.url }));
    expect((await after.latest('kept', 10)).map(({ percent }) => percent)).toEqual([50]);
  });
});

it('A27 readings in Postgres give half-open connections up after some seconds, and each call before', async () => {
  accounts += 1;
  const proxy = await startFaultProxy({ target: { port: Number(new URL(postgres.url).port) } });
  onTestFinished(() => proxy.close());
  const databaseUrl = Object.assign(new URL(postgres.url), { port: String(proxy.port) }).href;
  const readings = closed(createPostgresReadings({ databaseUrl }));
  const many = () => Promise.allSettled([1, 2, 3, 4].map((percent) => readings.add(reading({ percent }))));
  await many();
  expect(proxy.silence()).toBe(4);
  const startedAt = performance.now();
  expect((await many()).map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'rejected'));
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  await expect
    .poll(async () => readings.latest(reading().accountId, 10).catch(() => []), { timeout: 20_000 })
    .toHaveLength(4);
});

it('A39 readings in Redis tell once that it is away, not with every try to connect', async () => {
  const errors: unknown[] = [];
  const readings = closed(
    createRedisReadings({
      redis: { host: '127.0.0.1', port: await freePort() },
      onError: (error) => errors.push(error),
    }),
  );
  // Each is refused after a second try.
  for (let at = 0; at < 2; at += 1)
    await expect(readings.add(reading())).rejects.toThrow(/ECONNREFUSED|max retries/);
  expect(errors).toHaveLength(1);
});
