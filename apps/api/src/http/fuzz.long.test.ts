import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { routes } from '../routes.js';
import { fuzzRoutes } from '../testing-support/fuzz-routes.js';
import { startApi } from '../testing-support/start-api.js';
import type { Route } from './route.js';

const redis = useRedis();
/** For each group of operations. */
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 2_000);
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_130);

/** `/v1/jobs/{name}` belongs to `jobs`; what is not below `/v1` to one group of its own. */
function groupOf({ path }: Route): string {
  return /^\/v1\/([^/]+)/.exec(path)?.[1] ?? 'outside /v1';
}

const groups = [...new Set(routes.map(groupOf))];

describe('fuzz at full size', () => {
  it.each(groups)('A25 answers whatever is sent to %s as documented, without a 5xx', async (group) => {
    const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix });
    const statuses = await fuzzRoutes(
      api,
      routes.filter((route) => groupOf(route) === group),
      { numRuns, seed },
    );
    process.stdout.write(
      `${JSON.stringify({ group, seed, numRuns, statuses: Object.fromEntries(statuses) })}\n`,
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((await api.call('GET', '/healthz')).status).toBe(200);
    expect(api.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });
});
