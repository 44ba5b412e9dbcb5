import { implement } from '@fairlane/sdk';
import { freePort, startRedis, type RedisServer } from '@fairlane/testkit';
import { startStopwatch } from '@fairlane/testkit/vitest';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createConsumer,
  createProducer,
  UnavailableError,
  type Consumer,
  type Producer,
  type QueueLogger,
} from '../index.js';
import { reconnectDelayMs } from '../redis/connections.js';
import { defineParcelJob, parcelCatalogue } from '../../test/support/parcels.js';
import { until } from '../../test/support/until.js';

const job = defineParcelJob();
const catalogue = parcelCatalogue(job);
const logger: QueueLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

let server: RedisServer;
let producer: Producer;
let consumer: Consumer;
let done: string[];

beforeEach(async () => {
  server = await startRedis();
  done = [];
  producer = createProducer({ redis: server.url, catalogue, logger });
  consumer = openConsumer();
});

afterEach(async () => {
  await consumer.drain(100);
  await producer.close();
  await server.stop();
});

function openConsumer(more: { leaseMs?: number; logger?: QueueLogger } = {}): Consumer {
  return createConsumer({
    redis: server.url,
    catalogue,
    logger,
    queues: { parcels: { slots: 2 }, letters: { slots: 1 } },
    implementations: [implement(job, async (payload) => void done.push(String(payload.parcel)))],
    ...more,
  });
}

async function enqueue(parcel: string): Promise<void> {
  await until('the producer is connected again', async () => {
    try {
      return (await producer.enqueue(job, { accountId: 'acme', parcel })).outcome !== 'refused';
    } catch {
      return undefined;
    }
  });
}

/** The longest pause between two tries to connect is a second: several have failed by then. */
async function connectingFails(): Promise<void> {
  await until('connecting fails', async () => {
    const startedAt = performance.now();
    await producer.enqueue(job, { accountId: 'acme', parcel: 'refused' }).catch(() => undefined);
    return performance.now() - startedAt > 500 || undefined;
  });
}

describe('A27 a worker whose Redis was away', () => {
  it('tries to connect at least every second, for ever', () => {
    expect([1, 2, 5, 100, 1e6].map(reconnectDelayMs)).toEqual([100, 200, 1_000, 1_000, 1_000]);
  });

  it('goes on by itself with jobs from before and after', async () => {
    await consumer.start();
    await enqueue('first');
    await until('the first job is done', () => done.length === 1);

    await server.kill();
    await connectingFails();
    expect(consumer.health().queues.map(({ lastPollAgeMs }) => lastPollAgeMs)).toEqual([0, 0]);
    await server.restart();
    for (let at = 0; at < 10; at += 1) await enqueue(`after ${at}`);
    await until('all jobs are done', () => done.length === 11);
    expect(new Set(done)).toEqual(
      new Set(['first', ...Array.from({ length: 10 }, (_value, at) => `after ${at}`)]),
    );
    expect(consumer.health()).toMatchObject({ status: 'running', stuck: false });
  });

  it('A39 says once for each queue what is wrong, not with every try', async () => {
    await consumer.drain(0);
    const lines: string[] = [];
    const error = (fields: object | string, message?: string) => {
      if (message === 'worker error') lines.push(JSON.stringify(fields));
    };
    consumer = openConsumer({ logger: { ...logger, error } });
    await consumer.start();
    await server.kill();
    await connectingFails();
    await connectingFails();
    expect(lines.filter((line) => line.includes('parcels'))).not.toEqual([]);
    expect(lines.length).toBe(new Set(lines).size);
    await server.restart();
  });

  it('starts before Redis does', async () => {
    await server.kill();
    const starting = consumer.start();
    await server.restart();
    await starting;
    await enqueue('first');
    await until('the job is done', () => done.length > 0);
    expect(done).toEqual(['first']);
  });

  it('stops within its grace although Redis is away', async () => {
    await consumer.start();
    await server.kill();
    const watch = startStopwatch();
    await consumer.drain(200);
    expect(watch.ownMs()).toBeLessThan(8_000);
    expect(consumer.health().status).toBe('closed');
    await server.restart();
  });
});

describe('A31 a Redis that is a replica for a while', () => {
  it('R1 refuses jobs and keeps those it took; the worker goes on with them when it may write again', async () => {
    await consumer.drain(0);
    // A job whose end is refused comes back when its lease is over.
    consumer = openConsumer({ leaseMs: 2_000 });
    await consumer.start();
    const admin = new Redis(server.url);
    let accepted = 0;
    let refused = 0;
    const hand = async (): Promise<void> => {
      const parcel = `p-${accepted + refused}`;
      const result = await producer
        .enqueue(job, { accountId: 'acme', parcel })
        .catch((error: unknown) => error);
      if (result instanceof UnavailableError) refused += 1;
      else accepted += 1;
    };
    await until('fifty are taken', async () => hand().then(() => accepted >= 50), 30_000);
    // Of a server that is not there, so that its own data stay.
    await admin.replicaof('127.0.0.1', await freePort());
    await until('several were refused', async () => hand().then(() => refused >= 20), 30_000);
    await admin.replicaof('NO', 'ONE');
    const more = accepted + 20;
    await until('more are taken', async () => hand().then(() => accepted >= more), 30_000);
    await until(
      'all that were taken are done',
      async () => {
        const counts = await producer.queueCounts('parcels');
        return counts.completed === accepted && counts.active === 0 && counts.ready === 0;
      },
      30_000,
    );
    // Then it has run again.
    expect(new Set(done).size).toBe(accepted);
    admin.disconnect();
  });
});

describe('A29 a worker whose Redis is full', () => {
  it('asks again once a second, not at once, and goes on when there is room', async () => {
    await consumer.close();
    consumer = openConsumer();
    await enqueue('first');
    const redis = new Redis(server.url);
    await redis.config('SET', 'maxmemory', '1');
    const refusals = async () => {
      const [, count] = /errorstat_OOM:count=(\d+)/.exec(await redis.info('errorstats')) ?? [];
      return Number(count ?? 0);
    };
    await consumer.start();
    const startedAtMs = performance.now();
    // Six of each of its two queues, and some of its upkeep; without a pause it would be as many within milliseconds.
    await until('it has asked a few times', async () => (await refusals()) >= 16);
    expect(performance.now() - startedAtMs).toBeGreaterThan(2_000);
    await redis.config('SET', 'maxmemory', '0');
    await until('the job is done', () => done.length === 1);
    await redis.quit();
  });
});
