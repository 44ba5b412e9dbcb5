import { randomUUID } from 'node:crypto';

import {
  hasPgBouncer,
  startPgBouncer,
  startPostgres,
  type PgBouncer,
  type PostgresServer,
} from '@fairlane/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { describeEffectProperties } from '../testing-support/effect-properties.js';
import { describeLedgerContract } from '../testing-support/ledger-contract.js';
import { startClock, type LedgerInTests } from '../testing-support/ledger-in-tests.js';
import { holdAll } from '../testing-support/overlapping-holders.js';
import { migrateLedger } from './migrate.js';
import { createPostgresLedger } from './postgres-ledger.js';

const isInstalled = await hasPgBouncer();
if (!isInstalled) {
  const notice = 'pgbouncer is not installed: the ledger is not tried behind a transaction pooler';
  if (process.env['CI'] === 'true') throw new Error(notice);
  process.stderr.write(`skipped: ${notice}\n`);
}

/** Every statement may run on another server connection: whatever relied on a session would break here. */
describe.skipIf(!isInstalled)('behind a transaction pooler', () => {
  let server: PostgresServer;
  let pooler: PgBouncer;
  let inTests: LedgerInTests;
  beforeAll(async () => {
    server = await startPostgres();
    pooler = await startPgBouncer(server.url, 3);
    await Promise.all(Array.from({ length: 4 }, () => migrateLedger(pooler.url)));
    const clock = startClock();
    inTests = { clock, ledger: createPostgresLedger({ databaseUrl: pooler.url, nowMs: () => clock.nowMs }) };
  });
  afterAll(async () => {
    await inTests.ledger.close();
    await pooler.stop();
    await server.stop();
  });

  describeLedgerContract('pooled Postgres', () => inTests);
  describeEffectProperties('pooled Postgres', () => inTests, 300);

  it('A36: six workers, 3,000 overlapping jobs in opposite order, 3 server connections', async () => {
    const jobIds = Array.from({ length: 3_000 }, () => randomUUID());
    const workers = Array.from({ length: 6 }, (_, nth) => {
      const ledger = createPostgresLedger({ databaseUrl: pooler.url, maxConnections: 4 });
      return { ledger, order: nth % 2 === 0 ? jobIds : jobIds.toReversed() };
    });
    const performed = await Promise.all(workers.map(({ ledger, order }) => holdAll(ledger, order, 20)));
    expect(performed.flat().toSorted()).toEqual(jobIds.toSorted());
    await Promise.all(workers.map(({ ledger }) => ledger.close()));
  });
});
