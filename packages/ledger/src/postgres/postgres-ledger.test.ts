import { randomUUID } from 'node:crypto';

import { startPostgres, type PostgresServer } from '@fairlane/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { describeEffectProperties } from '../testing-support/effect-properties.js';
import { describeLedgerContract } from '../testing-support/ledger-contract.js';
import { describeLostReplies } from '../testing-support/lost-replies.js';
import { startClock, type LedgerInTests } from '../testing-support/ledger-in-tests.js';
import { holdAll } from '../testing-support/overlapping-holders.js';
import { migrateLedger } from './migrate.js';
import { createPostgresLedger } from './postgres-ledger.js';

let server: PostgresServer;
let inTests: LedgerInTests;
beforeAll(async () => {
  server = await startPostgres();
  await migrateLedger(server.url);
  const clock = startClock();
  inTests = { clock, ledger: createPostgresLedger({ databaseUrl: server.url, nowMs: () => clock.nowMs }) };
});
afterAll(async () => {
  await inTests.ledger.close();
  await server.stop();
});

describeLedgerContract('Postgres', () => inTests);
describeLostReplies('Postgres', () => inTests);
describeEffectProperties('Postgres', () => inTests, 20);

describe('A36: two workers, 500 overlapping jobs in opposite order, pools of 2', () => {
  it('no deadlock reaches a caller, and each effect is started once', async () => {
    const jobIds = Array.from({ length: 500 }, () => randomUUID());
    const workers = [jobIds, jobIds.toReversed()].map((order) => {
      const ledger = createPostgresLedger({ databaseUrl: server.url, maxConnections: 2 });
      return { ledger, order };
    });
    const performed = await Promise.all(workers.map(({ ledger, order }) => holdAll(ledger, order, 20)));
    expect(performed.flat().toSorted()).toEqual(jobIds.toSorted());
    await Promise.all(workers.map(({ ledger }) => ledger.close()));
  });
});
