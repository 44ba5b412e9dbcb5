import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { openQueues } from './index.js';
import { until } from '../test/support/until.js';
import { idOf, World } from '../test/support/world.js';

const redis = useRedis();
const world = new World(redis);

describe('openQueues', () => {
  it('opens every declared queue, and they show the jobs of the producer', async () => {
    const producer = world.producer();
    const id = idOf(await producer.enqueue(world.job, { accountId: 'acme', parcel: 'p-1', note: 'spring' }));
    const queues = openQueues({ redis: redis.url, prefix: redis.prefix, catalogue: world.catalogue });
    expect(queues.map(({ name }) => name)).toEqual(['parcels', 'letters']);
    const [parcels] = queues;
    expect(await parcels?.getJobCounts('waiting', 'failed')).toEqual({ waiting: 1, failed: 0 });
    const [job] = (await parcels?.getWaiting()) ?? [];
    expect(job).toMatchObject({
      id,
      name: 'parcel.send',
      data: { v: 1, p: { accountId: 'acme', parcel: 'p-1', note: 'spring' } },
      opts: { attempts: 8, lane: { account: 'acme', tag: 'spring' } },
    });
    for (const queue of queues) await queue.close();
  });

  it('A39 logs errors of the connection and lives', async () => {
    const queues = openQueues({
      redis: { host: '127.0.0.1', port: 1 },
      catalogue: world.catalogue,
      logger: world.logger,
    });
    const line = await until('the error is logged', () =>
      world.lines.find(({ message }) => message === 'queue error'),
    );
    expect(line).toMatchObject({
      level: 'error',
      fields: { error: expect.stringContaining('ECONNREFUSED') },
    });
    for (const queue of queues) await queue.close();
  });
});
