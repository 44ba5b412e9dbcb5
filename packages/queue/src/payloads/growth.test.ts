import { useRedis } from '@fairlane/testkit/vitest';
import { describePayloadGrowth } from '../../test/support/payload-growth.js';

const MIB = 1_048_576;

// 14 MB in and out, 3.5 MB of each at once. growth.long.test.ts is the same at full size.
describePayloadGrowth(useRedis(), {
  jobs: 100,
  chunk: 50,
  bytes: 70_000,
  maxGrowthBytes: MIB,
  maxPeakBytes: 6 * MIB,
});
