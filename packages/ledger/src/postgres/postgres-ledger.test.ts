import { startPostgres, type PostgresServer } from '@fairlane/testkit';
import { afterAll, beforeAll } from 'vitest';

import { describeEffectProperties } from '../testing-support/effect-properties.js';
import {
  describeLedgerContract,
  startClock,
  type LedgerInTests,
} from '../testing-support/ledger-contract.js';
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
describeEffectProperties('Postgres', () => inTests, 20);
