import { bytesKept, useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { sendManyLines } from '../testing-support/batch-client.js';
import { message } from '../testing-support/catalogue.js';
import { startApi } from '../testing-support/start-api.js';

const redis = useRedis();

describe('POST /v1/jobs/{name}/batch at full size', () => {
  it('keeps memory flat over a million lines', async () => {
    const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix });
    const count = 1_000_000;
    // Few jobs, so that Redis stays small: what is looked at is the API.
    const jobs = 10_000;
    let next = 0;
    const payload = () => message({ leadId: `lead-${next++ % jobs}` });
    const { answers, summary, growthBytes } = await sendManyLines(api, count, payload, bytesKept);
    expect([answers, summary]).toEqual([
      count + 1,
      { accepted: jobs, duplicates: count - jobs, rejected: 0 },
    ]);
    expect(growthBytes).toBeLessThan(8 * 1024 * 1024);
  }, 900_000);
});
