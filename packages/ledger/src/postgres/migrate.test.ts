import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { startPostgres, type PostgresServer } from '@fairlane/testkit';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { migrateLedger } from './migrate.js';
import { createPostgresLedger } from './postgres-ledger.js';

const run = promisify(execFile);

let server: PostgresServer;
let databaseUrl: string;
let databases = 0;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  databases += 1;
  const name = `migration_${databases}`;
  await query(server.url, `create database ${name}`);
  databaseUrl = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
});

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('migrateLedger', () => {
  it('makes the tables, and has nothing to do the second time', async () => {
    expect(await migrateLedger(databaseUrl)).toEqual(['0001-effects', '0002-readings']);
    expect(await migrateLedger(databaseUrl)).toEqual([]);
    const ledger = createPostgresLedger({ databaseUrl });
    await expect(ledger.check()).resolves.toBeUndefined();
    await ledger.close();
  });

  it('is safe when many processes start at once on an empty database', async () => {
    const runs = await Promise.all(Array.from({ length: 8 }, () => migrateLedger(databaseUrl)));
    expect(runs.flat()).toEqual(['0001-effects', '0002-readings']);
  });

  it('leaves no session lock behind', async () => {
    await migrateLedger(databaseUrl);
    expect(await query(databaseUrl, `select 1 from pg_locks where locktype = 'advisory'`)).toEqual([]);
  });

  it('says that the database cannot be reached', async () => {
    const nowhere = Object.assign(new URL(databaseUrl), { port: '1' }).href;
    await expect(migrateLedger(nowhere)).rejects.toThrow(/tables of the ledger could not be migrated/);
  });
});

describe('the migration command', () => {
  const program = fileURLToPath(new URL('../migrate-main.ts', import.meta.url));
  const command = async (env: Record<string, string>) =>
    run(process.execPath, ['--conditions', 'fairlane-source', '--import', 'tsx', program], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
    });

  it('migrates the database that DATABASE_URL names', async () => {
    expect((await command({ DATABASE_URL: databaseUrl })).stdout).toBe(
      'migrated: 0001-effects, 0002-readings\n',
    );
    expect((await command({ DATABASE_URL: databaseUrl })).stdout).toBe('the ledger is up to date\n');
  });

  it('names the variable that is missing', async () => {
    await expect(command({})).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DATABASE_URL /),
    });
  });
});

describe('a ledger without its tables', () => {
  it('fails its check, naming what is missing', async () => {
    const ledger = createPostgresLedger({ databaseUrl });
    await expect(ledger.check()).rejects.toThrow(
      "the ledger's database lacks migrations: 0001-effects, 0002-readings",
    );
    await ledger.close();
  });
});
