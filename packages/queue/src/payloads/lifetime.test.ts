import { PermanentError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { text, textCatalogue, textJob } from '../../test/support/text-job.js';
import { TextWorld } from '../../test/support/text-world.js';
import { idOf } from '../../test/support/world.js';
import { BlobSweeper } from './blob-sweeper.js';

const redis = useRedis();
const world = new TextWorld(redis);

async function upload() {
  return world.blobs.put(Buffer.from('a,b'), { owner: 'upload:1', holdMs: 60_000, maxBytes: 10 });
}

describe('A38 a stored payload', () => {
  it('lives as long as its job, dead or alive, and goes with it', async () => {
    const one = world.producer();
    const operations = world.operations({ catalogue: textCatalogue, blobs: world.blobs });
    const id = idOf(await one.enqueue(textJob, text(100_000)));
    await world.sweepIn(2);
    expect(await world.files()).toHaveLength(1);
    const failing = await world.consume(() => {
      throw new PermanentError();
    });
    await world.untilState(one, id, 'dead');
    await failing.close();
    await world.sweepIn(2);
    expect(await world.files()).toHaveLength(1);
    expect(await operations.replay(id)).toBe('replayed');
    const again = await world.consume(() => {
      throw new PermanentError();
    });
    await world.untilState(one, id, 'dead');
    await again.close();

    expect(await operations.purge(id)).toBe('purged');
    await new BlobSweeper({ blobs: world.blobs, memory: world.memory(), logger: world.logger }).sweep();
    expect(await world.files()).toEqual([]);
  });

  it('goes when its completed job is trimmed, and at the latest an hour later', async () => {
    const one = world.producer();
    const id = idOf(await one.enqueue(textJob, text(100_000)));
    await world.consume(() => undefined);
    await world.untilState(one, id, 'completed');
    await world.sweepIn(2);
    expect(await world.files()).toHaveLength(1);
    await world.trim('completed');
    await world.sweepIn(4);
    expect(await world.files()).toEqual([]);
  });

  it('is told by the operations: inline, in the store, or what cannot be read', async () => {
    const one = world.producer();
    const operations = world.operations({ catalogue: textCatalogue, blobs: world.blobs });
    const small = idOf(await one.enqueue(textJob, text(5)));
    const large = idOf(await one.enqueue(textJob, text(100_000, { parcel: 'p-2' })));
    expect(await operations.payload(small)).toEqual({ kind: 'json', text: JSON.stringify(text(5)) });
    expect(await operations.payload(large)).toMatchObject({ kind: 'blob', bytes: 100_045 });
    await redis.client.hset(`${redis.prefix}:parcels:${small}`, 'data', '{bad');
    expect(await operations.payload(small)).toEqual({ kind: 'unreadable', text: '{bad' });
    expect(await operations.payload('AAAAAAAAAAAAAAAAAAAAAA')).toBeUndefined();
  });
});

describe('A38 a stored file that a payload names', () => {
  it('is kept as long as the job, and no longer', async () => {
    const one = world.producer();
    const { source } = await upload();
    const id = idOf(await one.enqueue(textJob, text(1, { file: source })));
    await world.sweepIn(2);
    expect(await world.blobs.size(source)).toBe(3);
    expect(await world.operations({ catalogue: textCatalogue, blobs: world.blobs }).cancel(id)).toBe(
      'cancelled',
    );
    await world.trim('cancelled');
    await world.sweepIn(4);
    expect(await world.files()).toEqual([]);
  });

  it('is waited for by nobody: a job that names none that is there is refused, and says so', async () => {
    const { source } = await upload();
    await world.blobs.release(source, 'upload:1');
    await world.blobs.sweep({ stillNeeded: async () => [] });
    for (const file of [source, 'file:///etc/passwd']) {
      const refused = await world.producer().enqueue(textJob, text(1, { file }));
      expect(refused).toMatchObject({ outcome: 'refused', code: 'invalid_payload' });
      expect(JSON.stringify(refused)).toContain('which is not stored');
    }
    const without = await world.producer({ blobs: undefined }).enqueue(textJob, text(1, { file: source }));
    expect(JSON.stringify(without)).toContain('set FAIRLANE_BLOB_STORE');
  });
});
