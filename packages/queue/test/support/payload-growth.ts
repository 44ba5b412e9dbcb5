import type { RedisInTests } from '@fairlane/testkit/vitest';
import { expect, it } from 'vitest';
import { textJob, type Text } from './text-job.js';
import { TextWorld } from './text-world.js';
import { until } from './until.js';

/** Files are synced one by one, which on a busy machine takes a while. */
const TIMEOUT_MS = 30 * 60_000;

export interface Growth {
  /** Jobs that go through one after the other, at most a chunk of them at a time. */
  readonly jobs: number;
  readonly chunk: number;
  /** Of each payload and each result. */
  readonly bytes: number;
  /** Most that Redis may have grown by between the first chunk and the last. */
  readonly maxGrowthBytes: number;
  /** Most that it may ever have had. */
  readonly maxPeakBytes: number;
}

/**
 * A30: jobs with large payloads and large results go through, and what ended is trimmed and swept as the upkeep does.
 * Redis must be as large afterwards as it was after the first of them but for the dedup memory, and the store empty.
 */
export function describePayloadGrowth(redis: RedisInTests, size: Growth): void {
  const { jobs, chunk, bytes, maxGrowthBytes, maxPeakBytes } = size;
  const world = new TextWorld(redis);

  const memory = async (field: 'used_memory' | 'used_memory_peak') =>
    Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(await redis.client.info('memory'))?.[1]);

  it(
    `A30 Redis stays as it is while ${jobs} jobs with ${bytes} bytes in and out go through`,
    async () => {
      // On a machine under load the jobs are to wait, not to be refused.
      const producer = world.producer({ timeoutMs: 15_000 });
      let [damaged, ran] = [0, 0];
      const textOf = (parcel: string) => parcel.padEnd(bytes, 'x');
      await world.consume(({ parcel, text }: Text) => {
        ran += 1;
        if (text !== textOf(parcel)) damaged += 1;
        return { text: `${parcel} done`.padEnd(bytes, 'y') };
      });
      const usedBytes: number[] = [];
      let mostFiles = 0;
      for (let done = 0; done < jobs; done += chunk) {
        const payloads = Array.from({ length: chunk }, (_none, at) => {
          const parcel = `p-${done + at}`;
          return { accountId: `account-${at % 20}`, parcel, text: textOf(parcel) };
        });
        for await (const { outcome } of producer.enqueueMany(textJob, payloads))
          expect(outcome).toBe('accepted');
        await until(
          'the chunk is done',
          async () => (await producer.queueCounts('parcels')).completed === chunk,
          15 * 60_000,
        );
        const { length } = await world.files();
        mostFiles = Math.max(mostFiles, length);
        await world.trim('completed');
        // Each later than the one before: what is kept is asked about again an hour later.
        await world.sweepIn(2 + done / chunk);
        usedBytes.push(await memory('used_memory'));
      }
      const growthBytes = (usedBytes.at(-1) ?? 0) - (usedBytes[0] ?? 0);
      const peakBytes = await memory('used_memory_peak');
      process.stdout.write(`${JSON.stringify({ jobs, bytes, growthBytes, peakBytes, mostFiles })}\n`);
      expect([ran, damaged]).toEqual([jobs, 0]);
      // Payload and result of each: nothing of them was ever in Redis.
      expect(mostFiles).toBe(2 * chunk);
      expect(await world.files()).toEqual([]);
      expect(growthBytes).toBeLessThan(maxGrowthBytes);
      expect(peakBytes).toBeLessThan(maxPeakBytes);
    },
    TIMEOUT_MS,
  );
}
