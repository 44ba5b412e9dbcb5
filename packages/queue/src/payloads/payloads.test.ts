import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileStore, MAX_INLINE_BYTES, MAX_PAYLOAD_BYTES, type BlobStore } from '@fairlane/blobs';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { until } from '../../test/support/until.js';
import { text, textCatalogue, textJob } from '../../test/support/text-job.js';
import { HOURS_MS, TextWorld } from '../../test/support/text-world.js';
import { idOf } from '../../test/support/world.js';

const redis = useRedis();
const world = new TextWorld(redis);

async function stored(id: string): Promise<string> {
  return (await redis.client.hget(`${redis.prefix}:parcels:${id}`, 'data')) ?? '';
}

describe('A30 a payload above 64 KiB', () => {
  it('is kept in the blob store, and its handler gets it whole', async () => {
    const one = world.producer();
    const payload = text(200_000);
    const id = idOf(await one.enqueue(textJob, payload));
    expect((await stored(id)).length).toBeLessThan(300);
    expect(await world.files()).toHaveLength(1);
    expect(await one.job(id)).toMatchObject({ version: 1, account: 'acme', state: 'ready' });
    let got: unknown;
    await world.consume((given) => {
      got = given;
    });
    await world.untilState(one, id, 'completed');
    expect(got).toEqual(payload);
  });

  it('is compared like any other: the same is a duplicate, another a conflict, and neither leaves a file', async () => {
    const one = world.producer();
    const first = idOf(await one.enqueue(textJob, text(100_000)));
    expect(await one.enqueue(textJob, text(100_000))).toMatchObject({ outcome: 'duplicate', id: first });
    expect(await one.enqueue(textJob, text(100_001))).toMatchObject({ outcome: 'conflict', id: first });
    await world.sweepIn(2);
    expect(await world.files()).toHaveLength(1);
    await world.consume(() => undefined);
    await world.untilState(one, first, 'completed');
  });

  it('R14 is refused above 32 MiB, and above 64 KiB where there is no blob store, which is named', async () => {
    expect(await world.producer().enqueue(textJob, text(MAX_PAYLOAD_BYTES))).toMatchObject({
      outcome: 'refused',
      code: 'payload_too_large',
    });
    const without = await world.producer({ blobs: undefined }).enqueue(textJob, text(MAX_INLINE_BYTES));
    expect(without).toMatchObject({ outcome: 'refused', code: 'payload_too_large' });
    expect(JSON.stringify(without)).toContain('set FAIRLANE_BLOB_STORE');
    expect(await world.files()).toEqual([]);
  });

  it('of a batch is kept there too, in the order of the batch', async () => {
    const one = world.producer();
    const batch = [10, 70_000, 20, 80_000].map((bytes, at) => text(bytes, { parcel: `p-${at}` }));
    const ids = new Map<string, number>();
    for await (const result of one.enqueueMany(textJob, batch)) ids.set(idOf(result), ids.size);
    expect(await world.files()).toHaveLength(2);
    const seen: (number | undefined)[] = [];
    await world.consume(({ text }) => {
      seen.push(text?.length);
    });
    for (const id of ids.keys()) await world.untilState(one, id, 'completed');
    expect(seen.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([10, 20, 70_000, 80_000]);
  });

  it('is refused as unavailable when the store does not take it, and no job appears', async () => {
    const broken: BlobStore = {
      ...createFileStore(world.directory),
      put: async () => Promise.reject(new Error('no space left on device')),
    };
    const one = world.producer({ blobs: world.openBlobs({ store: broken }) });
    await expect(one.enqueue(textJob, text(100_000))).rejects.toMatchObject({
      code: 'unavailable',
      mayHaveRun: false,
    });
    const results = one.enqueueMany(textJob, [text(100_000), text(1, { parcel: 'p-2' })]);
    const outcomes: string[] = [];
    for await (const result of results) outcomes.push(result.outcome);
    expect(outcomes).toEqual(['refused', 'accepted']);
    expect(await one.queueCounts('parcels')).toMatchObject({ ready: 1 });
  });

  it('is left to another worker by one that has no store', async () => {
    const one = world.producer();
    const id = idOf(await one.enqueue(textJob, text(100_000)));
    await world.consume(() => undefined, { blobs: undefined });
    const view = await world.untilState(one, id, 'held');
    expect(view).toMatchObject({ reason: 'no_handler', attempts: { made: 0 } });
  });

  it('that is gone ends its job as unreadable, with the reason', async () => {
    const one = world.producer();
    const id = idOf(await one.enqueue(textJob, text(100_000)));
    const { blob } = JSON.parse(await stored(id)) as { blob: string };
    const doomed = world.openBlobs({ nowMs: () => Date.now() + 2 * HOURS_MS });
    await doomed.sweep({ stillNeeded: async () => [] });
    expect(blob).toMatch(/^blob:/);
    expect(await world.files()).toEqual([]);
    await world.consume(() => undefined);
    const { lastError } = await world.untilState(one, id, 'dead');
    expect(lastError).toMatchObject({
      code: 'unreadable',
      message: 'the stored payload is gone from the blob store',
    });
  });

  it('is tried again while the store cannot be reached, or lacks what is known to be stored', async () => {
    const one = world.producer();
    const id = idOf(await one.enqueue(textJob, text(100_000)));
    const other = await mkdtemp(join(tmpdir(), 'queue-payloads-'));
    const wrong = await world.consume(() => undefined, {
      blobs: world.openBlobs({ store: createFileStore(other) }),
    });
    const view = await world.untilState(one, id, 'dead');
    await wrong.close();
    await rm(other, { recursive: true });
    expect(view.lastError).toMatchObject({ code: 'attempts_exhausted', class: 'retryable' });
    expect(view.lastError?.message).toContain('is FAIRLANE_BLOB_STORE the same everywhere?');

    const operations = world.operations({ catalogue: textCatalogue });
    expect(await operations.replay(id)).toBe('replayed');
    let fails = 1;
    const store = createFileStore(world.directory);
    const flaky: BlobStore = {
      ...store,
      get: async (...args) => {
        fails -= 1;
        if (fails >= 0) throw new Error('connect ECONNREFUSED');
        return store.get(...args);
      },
    };
    await world.consume(() => undefined, { blobs: world.openBlobs({ store: flaky }) });
    const { attempts } = await world.untilState(one, id, 'completed');
    expect(attempts.made).toBe(2);
  });
});

describe('A30 a result above 64 KiB', () => {
  it('goes to the blob store, where the job says, as long as the job', async () => {
    const one = world.producer();
    const id = idOf(await one.enqueue(textJob, text(1)));
    await world.consume(() => ({ text: 'y'.repeat(100_000) }));
    const { result } = await world.untilState(one, id, 'completed');
    expect(result).toEqual({ tooLarge: true, bytes: 100_011, source: expect.stringMatching(/^blob:/) });
    await world.sweepIn(2);
    const { source } = result as { source: string };
    const bytes = await world.blobs.readAll(source, { maxBytes: 200_000 });
    expect(JSON.parse(bytes.toString())).toEqual({ text: 'y'.repeat(100_000) });
  });

  it('is lost, and the job is not, when the store does not take it', async () => {
    const one = world.producer();
    const id = idOf(await one.enqueue(textJob, text(1)));
    const broken: BlobStore = {
      ...createFileStore(world.directory),
      put: async () => Promise.reject(new Error('no space left on device')),
    };
    await world.consume(() => 'y'.repeat(100_000), { blobs: world.openBlobs({ store: broken }) });
    const { result } = await world.untilState(one, id, 'completed');
    expect(result).toEqual({ tooLarge: true, bytes: 100_002 });
    await until('the log says so', () =>
      world.lines.some(({ message }) => message === 'a result was not kept'),
    );
  });
});
