import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { routes } from '../routes.js';
import { fuzzRoutes } from '../testing-support/fuzz-routes.js';
import { startApi } from '../testing-support/start-api.js';

const redis = useRedis();
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 400);
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_129);

describe('fuzz', () => {
  it('A25 answers whatever is sent as documented, without a 5xx, and nothing is polluted', async () => {
    const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix });
    const statuses = await fuzzRoutes(api, routes, { numRuns, seed });
    // Proof that calls came to the handlers and were not all turned away at the door.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 202, 400, 403, 404, 415, 422]));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((await api.call('GET', '/healthz')).status).toBe(200);
    expect(api.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  }, 180_000);
});
