import { randomUUID } from 'node:crypto';

import { startFaultProxy, startPostgres, type PostgresServer } from '@fairlane/testkit';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import type { EffectLedger } from '../ledger.js';
import { migrateLedger } from './migrate.js';
import { createPostgresLedger } from './postgres-ledger.js';

let server: PostgresServer;
let ledger: EffectLedger;
const errors: unknown[] = [];
beforeEach(async () => {
  server = await startPostgres({ durable: true });
  await migrateLedger(server.url);
  errors.length = 0;
  ledger = createPostgresLedger({ databaseUrl: server.url, onError: (error) => errors.push(error) });
});
afterEach(async () => {
  await ledger.close();
  await server.stop();
});

async function begin(jobId: string) {
  return beginOn(ledger, jobId);
}

async function beginOn(one: EffectLedger, jobId: string) {
  const request = { jobId, holder: randomUUID(), fence: undefined, name: 'send' };
  return one.begin({ ...request, inputHash: 'in-1', timeoutMs: 1_000 });
}

/** Holds up every call of the ledger, on a connection that goes down with the server. */
async function lockTables(): Promise<Client> {
  const client = new Client({ connectionString: server.url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE fairlane_ledger_job IN ACCESS EXCLUSIVE MODE');
  return client;
}

/** Statements that wait for a lock. A transaction sees the same sessions again and again unless it is told to look. */
async function waitingIn(client: Client): Promise<number | undefined> {
  await client.query('SELECT pg_stat_clear_snapshot()');
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
  );
  return rows[0]?.count;
}

describe('the Postgres ledger', () => {
  it('A31: cannot be used while its database is read-only, and says so', async () => {
    await expect(ledger.check()).resolves.toBeUndefined();
    const client = new Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
    await client.query(`ALTER DATABASE "${rows[0]?.name ?? ''}" SET default_transaction_read_only = on`);
    await client.end();
    await ledger.close();
    ledger = createPostgresLedger({ databaseUrl: server.url, onError: (error) => errors.push(error) });
    await expect(ledger.check()).rejects.toThrow("the ledger's database is read-only");
    await expect(begin('job-1')).rejects.toThrow('read-only');
  });

  it('A27: gives half-open connections up after some seconds, and makes others', async () => {
    const proxy = await startFaultProxy({ target: { port: Number(new URL(server.url).port) } });
    onTestFinished(() => proxy.close());
    const databaseUrl = Object.assign(new URL(server.url), { port: String(proxy.port) }).href;
    const behind = createPostgresLedger({ databaseUrl, maxConnections: 2, onError: () => undefined });
    onTestFinished(() => behind.close());
    const both = () => Promise.allSettled(['job-1', 'job-2'].map((jobId) => beginOn(behind, jobId)));
    expect((await both()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(proxy.silence()).toBe(2);
    expect((await both()).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await beginOn(behind, 'job-1')).toMatchObject({ outcome: 'unsettled', state: 'started' });
  });

  it('A27: what it gives up behind a lock is stopped in the server too, and is not carried out later', async () => {
    const locking = await lockTables();
    onTestFinished(() => locking.end());
    const underWay = begin('job-1').then(
      () => 'answered',
      () => 'refused',
    );
    await expect.poll(async () => waitingIn(locking)).toBe(1);
    expect(await underWay).toBe('refused');
    await expect.poll(async () => waitingIn(locking)).toBe(0);
    await locking.query('COMMIT');
    expect(await begin('job-1')).toMatchObject({ outcome: 'perform', fence: 1 });
  });

  it('A27 A39: lives when the server is killed in the middle of a call, works again after its restart, and remembers', async () => {
    expect(await begin('job-1')).toMatchObject({ outcome: 'perform', fence: 1 });
    const locking = await lockTables();
    const underWay = begin('job-1').then(
      () => 'answered',
      () => 'refused',
    );
    await expect.poll(async () => waitingIn(locking)).toBe(1);

    await server.kill();
    expect(await underWay).toBe('refused');
    await server.restart();
    await expect
      .poll(async () => begin('job-1').catch(() => undefined))
      .toMatchObject({ outcome: 'unsettled', state: 'started' });
    // Without a listener on the client that was in use this would have ended the process.
    expect(errors.length).toBeGreaterThan(0);
  });
});
