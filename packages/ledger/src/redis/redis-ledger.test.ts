import { useRedis } from '@fairlane/testkit/vitest';
import { afterAll, beforeAll } from 'vitest';

import { describeEffectProperties } from '../testing-support/effect-properties.js';
import { describeLedgerContract } from '../testing-support/ledger-contract.js';
import { describeLostReplies } from '../testing-support/lost-replies.js';
import { startClock, type LedgerInTests } from '../testing-support/ledger-in-tests.js';
import { createRedisLedger } from './redis-ledger.js';

const redis = useRedis();

let inTests: LedgerInTests;
beforeAll(() => {
  const clock = startClock();
  const ledger = createRedisLedger({ redis: redis.url, prefix: '{contract}', nowMs: () => clock.nowMs });
  inTests = { ledger, clock };
});
afterAll(() => inTests.ledger.close());

describeLedgerContract('Redis', () => inTests);
describeLostReplies('Redis', () => inTests);
describeEffectProperties('Redis', () => inTests, 120);
