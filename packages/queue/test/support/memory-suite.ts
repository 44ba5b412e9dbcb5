import type { RedisInTests } from '@fairlane/testkit/vitest';
import { expect, it } from 'vitest';
import { textJob, text } from './text-job.js';
import { TextWorld } from './text-world.js';
import { until } from './until.js';
import { idOf } from './world.js';

const LARGE_BYTES = 200_000;
/** What Redis may keep of a job whose payload and result lie elsewhere. */
const MAX_BYTES_A_JOB = 5_000;
/** The stream of events until it is full, statistics, what the allocator keeps; and of each job its key for a week. */
const MAX_GROWN_BYTES = 3_000_000;
const MAX_REMEMBERED_BYTES_A_JOB = 100;

/** Jobs with large payloads and results, in waves; after each one the ended ones are trimmed, as the upkeep does. */
export function testsOfMemory(
  redis: RedisInTests,
  { jobs, waves }: { readonly jobs: number; readonly waves: number },
): void {
  const world = new TextWorld(redis);
  const aWave = Math.ceil(jobs / waves);
  const usedBytes = async () =>
    Number(/^used_memory:(\d+)/m.exec(await redis.client.info('memory'))?.[1] ?? Number.NaN);

  it(`A30 ${jobs} jobs with 200 KB in and out leave Redis no larger than the first of them did`, async () => {
    const producer = world.producer();
    const operations = world.operations({ blobs: world.blobs });
    const result = { text: 'y'.repeat(LARGE_BYTES) };
    await world.consume(() => result);
    const after: number[] = [];
    let mostBytesAJob = 0;
    for (let wave = 0; wave < waves; wave += 1) {
      const before = await bytesOfKeys(redis);
      for (let at = 0; at < aWave; at += 1) {
        idOf(await producer.enqueue(textJob, text(LARGE_BYTES, { parcel: `p-${wave}-${at}` })));
      }
      await until(
        'the wave is through',
        async () => (await operations.queueCounts('parcels')).completed === aWave,
      );
      mostBytesAJob = Math.max(mostBytesAJob, ((await bytesOfKeys(redis)) - before) / aWave);
      expect((await world.files()).length).toBeGreaterThan(0);
      await world.trim('completed');
      await world.sweepIn(4);
      after.push(await usedBytes());
    }
    expect(await world.files()).toEqual([]);
    const [first = 0, ...later] = after;
    const grownBytes = Math.max(...later) - first;
    const figures = { jobs: aWave * waves, bytesAJob: Math.round(mostBytesAJob), grownBytes };
    if (jobs > 500) process.stdout.write(`${JSON.stringify(figures)}\n`);
    expect(mostBytesAJob).toBeLessThan(MAX_BYTES_A_JOB);
    expect(grownBytes).toBeLessThan(MAX_GROWN_BYTES + MAX_REMEMBERED_BYTES_A_JOB * jobs);
  });
}

/** Without buffers of connections, which come and go by a hundred kilobytes. */
async function bytesOfKeys({ client, prefix }: RedisInTests): Promise<number> {
  const pipeline = client.pipeline();
  for (const key of await client.keys(`${prefix}*`)) pipeline.memory('USAGE', key, 'SAMPLES', 0);
  const replies = (await pipeline.exec()) ?? [];
  return replies.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}
