import { useRedis } from '@fairlane/testkit/vitest';
import { describePayloadGrowth } from '../../test/support/payload-growth.js';

const MIB = 1_048_576;
const jobs = Number(process.env['GROWTH_JOBS'] ?? 20_000);

describePayloadGrowth(useRedis(), {
  jobs,
  chunk: 1_000,
  bytes: 200_000,
  // The dedup memory keeps every key: 7,000 more of them took 2 MB, connections of the test included.
  maxGrowthBytes: 8 * MIB,
  maxPeakBytes: 64 * MIB,
});
