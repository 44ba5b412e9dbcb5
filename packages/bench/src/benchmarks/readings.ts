import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { migrateLedger } from '@fairlane/ledger';
import { startPostgres } from '@fairlane/testkit';

import type { BenchContext, Benchmark } from '../benchmark.js';
import { withApi } from '../measure/api.js';
import { withApp } from '../measure/app-process.js';
import { answerTimesMs, type Posts } from '../measure/http-load.js';
import { inRun } from '../measure/run.js';
import { percentile, rounded } from '../measure/statistics.js';

const PER_SECOND = 300;
const WARM_UP_SECONDS = 3;
/** What the receiver of incidents takes for each. */
const INCIDENT_MS = 4_000;
/** Of so many readings one is of a full disk, and makes an alert. */
const FULL_EVERY = 10;

/** Every reading is of another host, so that no alert is taken for one that is known already. */
const readings: Posts = {
  path: '/v1/readings',
  status: 201,
  bodyOf: (index) =>
    JSON.stringify({
      accountId: `acct-${index % 100}`,
      host: `host-${index}`,
      mount: '/var',
      percent: index % FULL_EVERY === 0 ? 100 : 62.5,
      at: new Date().toISOString(),
    }),
};

/**
 * What a reading takes to be answered, at 300 a second, while a worker waits for a receiver of incidents that takes
 * four seconds for each of them and so falls behind further and further.
 */
export const readingsBenchmark: Benchmark = {
  names: ['reading_ms_p99', 'reading_postgres_ms_p99'],
  async run(context, wanted) {
    const results: Record<string, number> = {};
    if (wanted.has('reading_ms_p99')) results['reading_ms_p99'] = await readingP99Ms(context, {});
    if (wanted.has('reading_postgres_ms_p99')) {
      const postgres = await startPostgres({ durable: true });
      try {
        await migrateLedger(postgres.url);
        const env = { FAIRLANE_LEDGER: 'postgres', DATABASE_URL: postgres.url };
        results['reading_postgres_ms_p99'] = await readingP99Ms(context, env);
      } finally {
        await postgres.stop();
      }
    }
    return results;
  },
};

async function readingP99Ms(context: BenchContext, env: Record<string, string>): Promise<number> {
  const seconds = WARM_UP_SECONDS + (context.quick ? 3 : 30);
  const { timesMs, incidents } = await withSlowReceiver(async (url, received) =>
    inRun({}, async ({ port }) => {
      const worker = {
        REDIS_URL: `redis://127.0.0.1:${port}`,
        INCIDENT_WEBHOOK_URL: url,
        // It must be set, and no job here calls it.
        OUTREACH_GATEWAY_URL: 'http://127.0.0.1:1',
        ...env,
      };
      return withApp('worker', worker, () =>
        withApi(
          port,
          async (target) => {
            const all = await answerTimesMs(target, { perSecond: PER_SECOND, seconds }, readings);
            return { timesMs: all.slice(WARM_UP_SECONDS * PER_SECOND), incidents: received() };
          },
          env,
        ),
      );
    }),
  );
  const worst = percentile(timesMs, 100).toFixed(2);
  context.say(`p50 ${percentile(timesMs, 50).toFixed(2)} ms, worst ${worst} ms, ${incidents} incidents sent`);
  if (incidents === 0) throw new Error('no incident was sent: the receiver held up nothing');
  return rounded(percentile(timesMs, 99));
}

/** A few connections that wait: in this process they cost the stopwatch nothing. */
async function withSlowReceiver<T>(use: (url: string, received: () => number) => Promise<T>): Promise<T> {
  let received = 0;
  const server = createServer((request, response) => {
    received += 1;
    request.resume();
    setTimeout(() => response.writeHead(202).end('{}'), INCIDENT_MS);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/incidents`, () => received);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
