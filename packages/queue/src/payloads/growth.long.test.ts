import { useRedis } from '@fairlane/testkit/vitest';
import { describePayloadGrowth } from '../../test/support/payload-growth.js';

const MIB = 1_048_576;
const jobs = Number(process.env['GROWTH_JOBS'] ?? 20_000);

describePayloadGrowth(useRedis(), {
  jobs,
  chunk: 1_000,
  bytes: 200_000,
  // The dedup memory: 8,000 keys are a good 2 MB, most of it the buckets that come into being with the first of them.
  maxGrowthBytes: 8 * MIB,
  maxPeakBytes: 64 * MIB,
});
