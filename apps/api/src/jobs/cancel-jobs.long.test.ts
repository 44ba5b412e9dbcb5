import { outreachSend, catalogue } from '@fairlane/jobs/contracts';
import { createOperations, createProducer } from '@fairlane/queue';
import { createLogger } from '@fairlane/runtime';
import { useRedis } from '@fairlane/testkit/vitest';
import { expect, it, onTestFinished } from 'vitest';
import { startApiProcess, token } from '../testing-support/api-process.js';

const redis = useRedis();
const JOBS = Number(process.env['CANCELLED_JOBS'] ?? 20_000);

/** The API as a process of its own, to be killed. */
async function startProcess() {
  const { child, listening, exit } = startApiProcess(redis);
  const url = await listening;
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url + path, { method, headers, ...sent });
    return (await response.json()) as Record<string, unknown>;
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await exit();
  };
  return { call, kill };
}

const payload = (at: number, campaign: string) => ({
  accountId: `account-${at % 20}`,
  leadId: `lead-${campaign}-${at}`,
  step: 1,
  campaignRev: 1,
  campaign,
  channel: 'crm' as const,
  to: 'lead@example.com',
  body: 'Hello',
});

it('R1 a bulk cancel across a SIGKILL of the API ends every job of its filter once, and none that came later', async () => {
  const logger = createLogger({ app: 'test', level: 'silent' });
  const connection = { redis: redis.url, prefix: redis.prefix, catalogue, logger, timeoutMs: 15_000 };
  const producer = createProducer(connection);
  const operations = createOperations(connection);
  onTestFinished(async () => {
    await producer.close();
    await operations.close();
  });
  async function add(count: number, campaign: string) {
    const payloads = Array.from({ length: count }, (_value, at) => payload(at, campaign));
    for await (const { outcome } of producer.enqueueMany(outreachSend, payloads))
      expect(outcome).toBe('accepted');
  }
  await add(JOBS, 'spring');
  await add(100, 'autumn');
  const first = await startProcess();
  const askedAtMs = performance.now();
  const { operation, matched } = await first.call('POST', '/v1/jobs/cancel', { filter: { tag: 'spring' } });
  const askedMs = Math.round(performance.now() - askedAtMs);
  expect(matched).toBe(JOBS);
  const path = `/v1/operations/${String(operation)}`;
  const settled = { timeout: 10 * 60_000, interval: 20 };
  await expect
    .poll(async () => (await first.call('GET', path))['done'], settled)
    .toBeGreaterThanOrEqual(Math.min(100, JOBS / 4));
  await first.kill();
  const doneAtKill = (await operations.operation(String(operation)))?.done ?? 0;
  expect(doneAtKill).toBeLessThan(JOBS);
  const second = await startProcess();
  const resumedAtMs = performance.now();
  await expect.poll(async () => (await second.call('GET', path))['state'], settled).toBe('done');
  const seconds = Math.round((performance.now() - resumedAtMs) / 1_000);
  expect(await second.call('GET', path)).toMatchObject({ matched: JOBS, done: JOBS, failed: 0, skipped: 0 });
  const { cancelled, ready } = await operations.queueCounts('outreach');
  process.stdout.write(`${JSON.stringify({ jobs: JOBS, askedMs, doneAtKill, seconds })}\n`);
  expect([cancelled, ready]).toEqual([JOBS, 100]);
});
