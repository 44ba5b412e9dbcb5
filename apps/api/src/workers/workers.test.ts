import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { message } from '../testing-support/catalogue.js';
import { startApi, type ApiUnderTest } from '../testing-support/start-api.js';
import { gatedHandler, startWorker } from '../testing-support/start-worker.js';

const redis = useRedis();
const start = () => startApi({ redisUrl: redis.url, prefix: redis.prefix });

async function workers(api: ApiUnderTest): Promise<Record<string, unknown>[]> {
  const { status, json } = await api.call('GET', '/v1/workers', { token: api.tokens.viewer });
  expect([status, json['cursor']]).toEqual([200, null]);
  return json['items'] as Record<string, unknown>[];
}

describe('workers', () => {
  it('are listed with what they serve and run, and go when they stop in good order', async () => {
    const api = await start();
    expect(await workers(api)).toEqual([]);
    const { handler, open, started } = gatedHandler();
    const worker = await startWorker(redis, handler, { slots: 3, beatEveryMs: 50 });
    const body = message();
    const { json } = await api.call('POST', '/v1/jobs/message.send', { body });
    await expect.poll(() => started.size).toBe(1);
    await expect.poll(() => workers(api)).toMatchObject([{ status: 'busy' }]);
    expect(await workers(api)).toEqual([
      {
        id: expect.any(String) as string,
        host: expect.any(String) as string,
        pid: process.pid,
        status: 'busy',
        queues: ['outreach'],
        slots: 3,
        busy: 1,
        lastBeat: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
        eventLoopLagMs: expect.any(Number) as number,
        jobs: [{ id: json['id'], name: 'message.send', queue: 'outreach' }],
        handles: { 'message.send': 1 },
      },
    ]);
    open();
    await expect.poll(() => workers(api)).toMatchObject([{ status: 'idle', busy: 0, jobs: [] }]);
    await worker.close();
    expect(await workers(api)).toEqual([]);
  });

  it('A03 a job that is reclaimed by hand runs elsewhere, no attempt spent, and its old worker cannot finish it', async () => {
    const api = await start();
    const runs: string[] = [];
    let finishFirst: (() => void) | undefined;
    const first = await startWorker(
      redis,
      async () => {
        runs.push('first');
        await new Promise<void>((resolve) => (finishFirst = resolve));
        return 'first';
      },
      { slots: 1, leaseMs: 1_000 },
    );
    const { json } = await api.call('POST', '/v1/jobs/message.send', { body: message() });
    const path = `/v1/jobs/${String(json['id'])}`;
    await expect.poll(() => runs).toEqual(['first']);
    const active = await api.call('GET', path);
    expect(active.json).toMatchObject({ state: 'active', stalls: 0, worker: expect.any(String) as string });
    expect(Date.parse(String(active.json['leaseExpiresAt']))).toBeGreaterThan(Date.now());

    const reclaimed = await api.call('POST', `${path}/reclaim`);
    expect([reclaimed.status, reclaimed.json['status']]).toEqual([200, 'reclaiming']);
    expect((await api.call('POST', `${path}/reclaim`)).status).toBe(409);
    expect(
      api.log.find((line) => line['audit'] === 'reclaim_job' || line['action'] === 'reclaim_job'),
    ).toBeTruthy();
    await startWorker(redis, () => runs.push('second'), { leaseMs: 1_000 });
    await expect.poll(() => runs).toEqual(['first', 'second']);
    finishFirst?.();
    await first.close();
    const ended = await api.call('GET', path);
    expect(ended.json).toMatchObject({ state: 'completed', result: 2, stalls: 1, attempts: { made: 1 } });
  });
});
