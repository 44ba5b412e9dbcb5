import { useRedis } from '@fairlane/testkit/vitest';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { routes } from '../routes.js';
import { readDocument } from '../testing-support/documented-answers.js';
import { fuzzedCalls, pathOf, sendFuzzed, type FuzzedCall } from '../testing-support/fuzzed-calls.js';
import { startApi } from '../testing-support/start-api.js';

const redis = useRedis();
const runs = Number(process.env['FUZZ_RUNS'] ?? 400);
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_129);

/** Short, since a counterexample may hold megabytes; seed and path bring it back. */
async function report(details: fc.RunDetails<[FuzzedCall]>): Promise<void> {
  if (!details.failed) return;
  const { seed, counterexamplePath, errorInstance } = details;
  throw new Error(`seed ${seed}, path ${counterexamplePath}: ${String(errorInstance)}`);
}

describe('fuzz', () => {
  it('A25 answers whatever is sent as documented, without a 5xx, and nothing is polluted', async () => {
    const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix });
    const { differences } = readDocument((await api.call('GET', '/openapi.json')).json);
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fuzzedCalls(routes), async (call) => {
        const route = routes.at(call.routeIndex);
        if (route === undefined) throw new Error('no such route');
        const answer = await sendFuzzed(api, route, call);
        statuses.add(answer.status);
        // Node refuses a request whose headers exceed 16 KiB before the app sees it.
        if (answer.status === 431) return;
        // Dots and an empty parameter lead to another route or none: then only the status is judged.
        const asWritten = !['', '.', '..'].includes(call.parameter ?? 'good');
        const wrong = asWritten ? differences(route.path, route.method, answer) : [];
        if (answer.status >= 500 || wrong.length > 0) {
          const what = `${route.method} ${pathOf(route, call).slice(0, 200)}`;
          throw new Error(`${what}: ${answer.status} ${wrong.join('; ')} ${answer.text.slice(0, 200)}`);
        }
      }),
      { numRuns: runs, seed, endOnFailure: true, asyncReporter: report },
    );
    // Proof that calls came to the handlers and were not all turned away at the door.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 202, 400, 403, 404, 415, 422]));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((await api.call('GET', '/healthz')).status).toBe(200);
    expect(api.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  }, 180_000);
});
