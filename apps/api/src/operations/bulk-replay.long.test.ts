import { readFileSync } from 'node:fs';
import { outreachSend, catalogue } from '@fairlane/jobs/contracts';
import { createEffectRunner, createRedisLedger } from '@fairlane/ledger';
import { createConsumer, createOperations, createProducer } from '@fairlane/queue';
import { createLogger } from '@fairlane/runtime';
import { implement, PermanentError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startApiProcess, token } from '../testing-support/api-process.js';

const redis = useRedis();
const LETTERS = Number(process.env['DEAD_LETTERS'] ?? 100_000);
const MAX_RSS_MB = 300;
const BODY = 'x'.repeat(5_000);

/** The API as a process of its own, to be killed. */
async function startProcess() {
  // As npm start and the compose file have it.
  const env = { NODE_OPTIONS: '--max-old-space-size=1024' };
  const { child, listening, exit } = startApiProcess(redis, env);
  const url = await listening;
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url + path, { method, headers, ...sent });
    return (await response.json()) as Record<string, unknown>;
  };
  /** The most it has had in memory, MB. */
  const peakMb = () =>
    Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024;
  const kill = async () => {
    child.kill('SIGKILL');
    await exit();
  };
  return { call, peakMb, kill };
}

function count(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}

describe('a bulk replay at full size', () => {
  it('A21 replays each dead letter once across a SIGKILL of the API, within 300 MB', async () => {
    const logger = createLogger({ app: 'test', level: 'silent' });
    const connection = { redis: redis.url, prefix: redis.prefix, catalogue, logger };
    const ledger = createRedisLedger({ redis: redis.url, prefix: redis.prefix });
    const producer = createProducer({ ...connection, timeoutMs: 15_000 });
    const operations = createOperations({ ...connection, timeoutMs: 15_000 });
    onTestFinished(async () => {
      await producer.close();
      await operations.close();
      await ledger.close();
    });
    const effects = new Map<string, number>();
    const runs = new Map<string, number>();
    let isWell = false;
    let damaged = 0;
    const worker = createConsumer({
      ...connection,
      implementations: [
        implement(outreachSend, async ({ leadId, body }, { effect }) => {
          await effect('label', { perform: async () => count(effects, leadId) });
          if (!isWell) throw new PermanentError({ reason: 'no such lead' });
          if (body !== BODY) damaged += 1;
          count(runs, leadId);
        }),
      ],
      queues: { outreach: { slots: 50 } },
      graceMs: 5_000,
      effects: createEffectRunner({ ledger }),
    });
    await worker.start();
    onTestFinished(() => worker.close());
    const inState = async (state: 'dead' | 'completed') => (await operations.queueCounts('outreach'))[state];
    const settled = { timeout: 15 * 60_000, interval: 500 };

    const payloads = Array.from({ length: LETTERS }, (_value, at) => ({
      accountId: `account-${at % 50}`,
      leadId: `lead-${at}`,
      step: 1,
      campaignRev: 1,
      channel: 'crm' as const,
      to: 'lead@example.com',
      body: BODY,
    }));
    let accepted = 0;
    for (let at = 0; at < LETTERS; at += 5_000) {
      for await (const { outcome } of producer.enqueueMany(outreachSend, payloads.slice(at, at + 5_000)))
        accepted += outcome === 'accepted' ? 1 : 0;
      await expect.poll(() => inState('dead'), settled).toBe(accepted);
    }
    expect(accepted).toBe(LETTERS);
    isWell = true;

    const first = await startProcess();
    const listStartedAt = performance.now();
    let cursor: string | null = null;
    let listed = 0;
    do {
      const page: Record<string, unknown> = await first.call(
        'GET',
        `/v1/dead-letters?limit=500${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      listed += (page['items'] as unknown[]).length;
      cursor = page['cursor'] as string | null;
    } while (cursor !== null);
    const listMs = Math.round(performance.now() - listStartedAt);
    const { byCode } = await first.call('GET', '/v1/dead-letters/codes');
    expect(byCode).toEqual({ rejected: LETTERS });
    const dryStartedAt = performance.now();
    const dry = await first.call('POST', '/v1/dead-letters/replay', { all: true, dryRun: true });
    const dryRunMs = Math.round(performance.now() - dryStartedAt);
    expect([listed, dry]).toMatchObject([
      LETTERS,
      { matched: LETTERS, byCode: { rejected: LETTERS }, unresolved: 0, complete: true },
    ]);
    const filter = { until: dry['until'] };
    const { operation } = await first.call('POST', '/v1/dead-letters/replay', {
      filter,
      all: true,
      perSecond: 1_000,
    });
    const replayStartedAt = performance.now();
    const path = `/v1/operations/${String(operation)}`;
    await expect
      .poll(async () => (await first.call('GET', path))['done'], { ...settled, interval: 50 })
      .toBeGreaterThanOrEqual(LETTERS / 2);
    const firstPeakMb = Math.round(first.peakMb());
    await first.kill();

    const second = await startProcess();
    const doneAtKill = (await second.call('GET', path))['done'];
    await expect.poll(async () => (await second.call('GET', path))['state'], settled).toBe('done');
    const replaySeconds = Math.round((performance.now() - replayStartedAt) / 1_000);
    const ended = await second.call('GET', path);
    await expect.poll(() => inState('completed'), settled).toBe(LETTERS);
    const secondPeakMb = Math.round(second.peakMb());
    const figures = {
      letters: LETTERS,
      listMs,
      dryRunMs,
      doneAtKill,
      replaySeconds,
      firstPeakMb,
      secondPeakMb,
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`);

    expect(ended).toMatchObject({ matched: LETTERS, done: LETTERS, failed: 0 });
    expect([runs.size, new Set(runs.values())]).toEqual([LETTERS, new Set([1])]);
    expect([effects.size, new Set(effects.values())]).toEqual([LETTERS, new Set([1])]);
    expect(damaged).toBe(0);
    expect(Math.max(firstPeakMb, secondPeakMb)).toBeLessThan(MAX_RSS_MB);
  });
});
