import { startFaultProxy, startRedis, type RedisServer } from '@fairlane/testkit';
import { startStopwatch } from '@fairlane/testkit/vitest';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createProducer,
  UnavailableError,
  type EnqueueResult,
  type Producer,
  type QueueLogger,
} from '../index.js';
import { defineParcelJob, parcelCatalogue } from '../../test/support/parcels.js';
import { until } from '../../test/support/until.js';

const job = defineParcelJob();
const catalogue = parcelCatalogue(job);
const TIMEOUT_MS = 500;

let server: RedisServer;
let producer: Producer;
let errors: string[];

beforeEach(async () => {
  server = await startRedis({ appendfsync: 'always' });
  errors = [];
  const logger: QueueLogger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (_fields: object | string, message?: string) => void errors.push(message ?? ''),
  };
  producer = createProducer({ redis: server.url, catalogue, timeoutMs: TIMEOUT_MS, logger });
  await producer.enqueue(job, parcel(0));
});

afterEach(async () => {
  await producer.close();
  await server.stop();
});

function parcel(at: number) {
  return { accountId: 'acme', parcel: String(at) };
}

async function submit(
  from: number,
  count: number,
): Promise<{ results: PromiseSettledResult<EnqueueResult>[]; tookMs: number }> {
  const watch = startStopwatch();
  const calls = Array.from({ length: count }, async (_value, at) => producer.enqueue(job, parcel(from + at)));
  return { results: await Promise.allSettled(calls), tookMs: watch.ownMs() };
}

function refusals(results: PromiseSettledResult<EnqueueResult>[]): UnavailableError[] {
  return results.map((result) => {
    if (result.status === 'rejected' && result.reason instanceof UnavailableError) return result.reason;
    throw new Error(`not refused: ${JSON.stringify(result)}`);
  });
}

async function waitingCount(): Promise<number> {
  return until('Redis answers again', async () => {
    try {
      return (await producer.queueCounts('parcels')).ready;
    } catch {
      return undefined;
    }
  });
}

describe('A28 a producer without Redis', () => {
  it('refuses in time and without an uncertain outcome, and what it refused never appears', async () => {
    await server.kill();
    await until('the loss is noticed', () => errors.length > 0);
    const { results, tookMs } = await submit(1, 100);
    expect(refusals(results).map(({ mayHaveRun }) => mayHaveRun)).toEqual(
      Array.from({ length: 100 }, () => false),
    );
    expect(tookMs).toBeLessThan(TIMEOUT_MS + 500);

    await server.restart();
    expect(await waitingCount()).toBe(1);
    expect(await producer.enqueue(job, parcel(1))).toMatchObject({ outcome: 'accepted' });
    expect(await waitingCount()).toBe(2);
  });

  it('refuses in time what was on its way when Redis was killed, and says whether it may have run', async () => {
    const [{ results, tookMs }] = await Promise.all([submit(1, 100), server.kill()]);
    const refused = results.filter(({ status }) => status === 'rejected');
    refusals(refused);
    expect(tookMs).toBeLessThan(TIMEOUT_MS + 500);
    await server.restart();
    const accepted = await waitingCount();
    const uncertain = refusals(refused).filter(({ mayHaveRun }) => mayHaveRun).length;
    // The first job, those answered, and at most those whose answer was cut off.
    expect(accepted).toBeGreaterThanOrEqual(1 + 100 - refused.length);
    expect(accepted).toBeLessThanOrEqual(1 + 100 - refused.length + uncertain);
  });

  it('refuses in time when Redis hangs, and Redis does not carry the commands out when it wakes', async () => {
    process.kill(server.pid, 'SIGSTOP');
    const { results, tookMs } = await submit(1, 100);
    expect(refusals(results)).toHaveLength(100);
    expect(tookMs).toBeLessThan(TIMEOUT_MS + 500);

    process.kill(server.pid, 'SIGCONT');
    // The commands came first on the connection, so its next answer comes after theirs.
    expect(await waitingCount()).toBe(1);
  });

  it('refuses in time when its connection is half-open, and makes another by itself (A26)', async () => {
    const proxy = await startFaultProxy({ target: { port: server.port } });
    const behind = createProducer({
      redis: `redis://127.0.0.1:${proxy.port}`,
      catalogue,
      timeoutMs: TIMEOUT_MS,
      logger: { ...silent },
    });
    await behind.enqueue(job, parcel(1));
    expect(proxy.silence()).toBe(1);
    const watch = startStopwatch();
    await expect(behind.enqueue(job, parcel(2))).rejects.toBeInstanceOf(UnavailableError);
    expect(watch.ownMs()).toBeLessThan(TIMEOUT_MS + 500);
    await until('it is taken', async () => {
      const result = await behind.enqueue(job, parcel(3)).catch(() => undefined);
      return result?.outcome === 'accepted';
    });
    expect(await waitingCount()).toBe(3);
    await behind.close();
    await proxy.close();
  });

  it('answers a batch as refused and goes on when Redis is back', async () => {
    const parcels = Array.from({ length: 300 }, (_value, at) => parcel(at + 1));
    await server.kill();
    const outcomes: string[] = [];
    for await (const result of producer.enqueueMany(job, parcels)) {
      outcomes.push(result.outcome === 'refused' ? result.code : result.outcome);
    }
    expect(outcomes).toEqual(Array.from({ length: 300 }, () => 'unavailable'));
    await server.restart();
    expect(await waitingCount()).toBe(1);
  });

  it('starts without Redis and accepts when it comes', async () => {
    await server.kill();
    const early = createProducer({ redis: server.url, catalogue, timeoutMs: 10_000, logger: { ...silent } });
    const accepted = early.enqueue(job, parcel(7));
    await server.restart();
    expect(await accepted).toMatchObject({ outcome: 'accepted' });
    await early.close();
  });

  it('says unavailable when Redis is full', async () => {
    const admin = new Redis(server.url);
    await admin.config('SET', 'maxmemory', '1');
    const { results } = await submit(1, 3);
    expect(refusals(results).map(({ message }) => message)[0]).toContain('OOM');
    await admin.config('SET', 'maxmemory', '0');
    expect(await waitingCount()).toBe(1);
    admin.disconnect();
  });

  it('says unavailable after it was closed', async () => {
    await producer.close();
    expect(refusals((await submit(1, 1)).results)[0]?.message).toContain('closed');
  });
});

describe('A39 an error of the connection', () => {
  it('is logged once a loss, and no unhandled event ends the process', async () => {
    await server.kill();
    await until('the loss is logged', () => errors.length > 0);
    await submit(1, 1);
    await server.restart();
    await waitingCount();
    expect(errors).toEqual(['no connection to Redis, reconnecting']);
  });
});

describe('a clock that was set', () => {
  it('is measured again: jobs are accepted although the server seems to be ahead', async () => {
    const ahead = createProducer({
      redis: server.url,
      catalogue,
      timeoutMs: TIMEOUT_MS,
      logger: { ...silent },
    });
    await ahead.enqueue(job, parcel(1));
    const original = performance.now.bind(performance);
    // Our monotonic clock jumps back against the server's, which is what a server set ahead looks like.
    performance.now = () => original() - 60_000;
    try {
      expect(await ahead.enqueue(job, parcel(2))).toMatchObject({ outcome: 'accepted' });
    } finally {
      performance.now = original;
      await ahead.close();
    }
  });
});

const silent: QueueLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
