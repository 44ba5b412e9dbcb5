import * as fc from 'fast-check';
import type { Route } from '../http/route.js';
import { readDocument } from './documented-answers.js';
import { fuzzedCalls, pathOf, sendFuzzed, type FuzzedCall } from './fuzzed-calls.js';
import type { ApiUnderTest } from './start-api.js';

/** Short, since a counterexample may hold megabytes; seed and path bring it back. */
async function report(details: fc.RunDetails<[FuzzedCall]>): Promise<void> {
  if (!details.failed) return;
  const { seed, counterexamplePath, errorInstance } = details;
  throw new Error(`seed ${seed}, path ${counterexamplePath}: ${String(errorInstance)}`);
}

/**
 * Sends `numRuns` seeded calls to the routes and judges each answer by the API's own document.
 *
 * @returns how many answers had each status.
 * @throws for the first 5xx or undocumented answer, with seed and path.
 */
export async function fuzzRoutes(
  api: ApiUnderTest,
  routes: readonly Route[],
  { numRuns, seed }: { readonly numRuns: number; readonly seed: number },
): Promise<Map<number, number>> {
  const { differences } = readDocument((await api.call('GET', '/openapi.json')).json);
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fuzzedCalls(routes), async (call) => {
      const route = routes.at(call.routeIndex);
      if (route === undefined) throw new Error('no such route');
      const answer = await sendFuzzed(api, route, call);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
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
    { numRuns, seed, endOnFailure: true, asyncReporter: report },
  );
  return statuses;
}
