import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { text, textCatalogue, textJob } from '../../test/support/text-job.js';
import { TextWorld } from '../../test/support/text-world.js';
import { idOf } from '../../test/support/world.js';
import { createOperations } from '../index.js';

const redis = useRedis();
const world = new TextWorld(redis);

async function bytesOut(): Promise<number> {
  return Number(/^total_net_output_bytes:(\d+)/m.exec(await redis.client.info('stats'))?.[1]);
}

describe('the view of a job with a long payload', () => {
  it.each([100, 1_900, 60_000, 70_000])(
    'A33: of %i bytes tells its version without reading it, and the payload is read whole on request',
    async (bytes) => {
      const payload = text(bytes);
      const id = idOf(await world.producer().enqueue(textJob, payload));
      await using operations = openOperations();
      await operations.job(id);
      const before = await bytesOut();
      expect(await operations.job(id)).toMatchObject({ id, version: 1, account: 'acme', state: 'ready' });
      // The answer of INFO itself is below 4 KB.
      expect((await bytesOut()) - before).toBeLessThan(9_000);
      const stored = (await operations.payload(id)) as Record<string, unknown> | undefined;
      expect(JSON.stringify(stored)).toContain(bytes > 64 * 1024 ? '"source":"blob:' : payload.text);
    },
  );

  it('A33: what another producer has put into a job is not read for its view, whatever its size', async () => {
    const id = idOf(await world.producer().enqueue(textJob, text(10)));
    const large = 'y'.repeat(3_000_000);
    await redis.client.hset(`${redis.prefix}:parcels:${id}`, { data: large, progress: large });
    await using operations = openOperations();
    const before = await bytesOut();
    expect(await operations.job(id)).toMatchObject({ id, version: 0, state: 'ready' });
    expect((await bytesOut()) - before).toBeLessThan(100_000);
  });
});

function openOperations() {
  const operations = createOperations({ redis: redis.url, prefix: redis.prefix, catalogue: textCatalogue });
  return { ...operations, [Symbol.asyncDispose]: () => operations.close() };
}
