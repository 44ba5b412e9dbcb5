import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createBlobs,
  createFileStore,
  MAX_INLINE_BYTES,
  MAX_PAYLOAD_BYTES,
  type Blobs,
  type BlobStore,
} from '@fairlane/blobs';
import { createCatalogue, defineJob, defineLimitGroups, defineQueues, PermanentError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { until } from '../../test/support/until.js';
import { idOf, World } from '../../test/support/world.js';
import { BlobSweeper } from './blob-sweeper.js';

const redis = useRedis();
const world = new World(redis);
const HOURS_MS = 3_600_000;

let directory: string;
let blobs: Blobs;
let opened: Blobs[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'queue-payloads-'));
  opened = [];
  blobs = open();
});

afterEach(async () => {
  for (const one of opened) await one.close();
  await rm(directory, { recursive: true, force: true });
});

function open(options: { store?: BlobStore; nowMs?: () => number } = {}): Blobs {
  const one = createBlobs({
    store: createFileStore(directory),
    redis: redis.url,
    prefix: redis.prefix,
    ...options,
  });
  opened.push(one);
  return one;
}

/** Payloads in which the text has a size. */
function parcel(bytes: number, more: Record<string, string> = {}) {
  return { accountId: 'acme', parcel: 'p-1', text: 'x'.repeat(bytes), ...more };
}

/** A job with a text of any size and a file, which are not part of its key. */
function textJob() {
  const payload = z.object({
    accountId: z.string(),
    parcel: z.string(),
    text: z.string().optional(),
    file: z.string().optional(),
  });
  return defineJob({
    name: 'text.send',
    payload,
    account: (p) => p.accountId,
    key: (p) => p.parcel,
    queue: 'parcels',
    sources: (p) => (p.file === undefined ? [] : [p.file]),
    retry: { attempts: 3, baseMs: 1, capMs: 10 },
  });
}

const job = textJob();
const catalogue = createCatalogue({
  jobs: [job],
  queues: defineQueues({ parcels: { slots: 5 } }, { rules: [{ queue: 'parcels' }] }),
  limitGroups: defineLimitGroups({}),
});

const producer = (options: Parameters<World['producer']>[0] = {}) =>
  world.producer({ catalogue, blobs, ...options });

async function consume(
  run: (payload: z.output<typeof job.payload>) => unknown,
  options: Parameters<World['unstartedConsumer']>[1] = {},
) {
  const implementation = { contract: job, run: async (payload: unknown) => run(payload as never) };
  const consumer = world.unstartedConsumer([implementation as never], { catalogue, blobs, ...options });
  await consumer.start();
  return consumer;
}

async function files(): Promise<string[]> {
  const entries = await readdir(join(directory, 'objects'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function upload() {
  return blobs.put(Buffer.from('a,b'), { owner: 'upload:1', holdMs: 60_000, maxBytes: 10 });
}

async function stored(id: string): Promise<string> {
  return (await redis.client.hget(`${redis.prefix}:parcels:${id}`, 'data')) ?? '';
}

/** A sweep so much later that no hold lasts. */
async function sweepLater(): Promise<void> {
  const later = open({ nowMs: () => Date.now() + 2 * HOURS_MS });
  await new BlobSweeper({ blobs: later, memory: world.memory(), logger: world.logger }).sweep();
}

describe('A30 a payload above 64 KiB', () => {
  it('is kept in the blob store, and its handler gets it whole', async () => {
    const one = producer();
    const payload = parcel(200_000);
    const id = idOf(await one.enqueue(job, payload));
    expect((await stored(id)).length).toBeLessThan(300);
    expect(await files()).toHaveLength(1);
    expect(await one.job(id)).toMatchObject({ version: 1, account: 'acme', state: 'ready' });
    let got: unknown;
    await consume((given) => {
      got = given;
    });
    await world.untilState(one, id, 'completed');
    expect(got).toEqual(payload);
  });

  it('is compared like any other: the same is a duplicate, another a conflict, and neither leaves a file', async () => {
    const one = producer();
    const first = idOf(await one.enqueue(job, parcel(100_000)));
    expect(await one.enqueue(job, parcel(100_000))).toMatchObject({ outcome: 'duplicate', id: first });
    expect(await one.enqueue(job, parcel(100_001))).toMatchObject({ outcome: 'conflict', id: first });
    await sweepLater();
    expect(await files()).toHaveLength(1);
    await consume(() => undefined);
    await world.untilState(one, first, 'completed');
  });

  it('R14 is refused above 32 MiB, and above 64 KiB where there is no blob store, which is named', async () => {
    expect(await producer().enqueue(job, parcel(MAX_PAYLOAD_BYTES))).toMatchObject({
      outcome: 'refused',
      code: 'payload_too_large',
    });
    const without = await producer({ blobs: undefined }).enqueue(job, parcel(MAX_INLINE_BYTES));
    expect(without).toMatchObject({ outcome: 'refused', code: 'payload_too_large' });
    expect(JSON.stringify(without)).toContain('set FAIRLANE_BLOB_STORE');
    expect(await files()).toEqual([]);
  });

  it('of a batch is kept there too, in the order of the batch', async () => {
    const one = producer();
    const batch = [10, 70_000, 20, 80_000].map((bytes, at) => parcel(bytes, { parcel: `p-${at}` }));
    const ids = new Map<string, number>();
    for await (const result of one.enqueueMany(job, batch)) ids.set(idOf(result), ids.size);
    expect(await files()).toHaveLength(2);
    const seen: (number | undefined)[] = [];
    await consume(({ text }) => {
      seen.push(text?.length);
    });
    for (const id of ids.keys()) await world.untilState(one, id, 'completed');
    expect(seen.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([10, 20, 70_000, 80_000]);
  });

  it('is refused as unavailable when the store does not take it, and no job appears', async () => {
    const broken: BlobStore = {
      ...createFileStore(directory),
      put: async () => Promise.reject(new Error('no space left on device')),
    };
    const one = producer({ blobs: open({ store: broken }) });
    await expect(one.enqueue(job, parcel(100_000))).rejects.toMatchObject({
      code: 'unavailable',
      mayHaveRun: false,
    });
    const results = one.enqueueMany(job, [parcel(100_000), parcel(1, { parcel: 'p-2' })]);
    const outcomes: string[] = [];
    for await (const result of results) outcomes.push(result.outcome);
    expect(outcomes).toEqual(['refused', 'accepted']);
    expect(await one.queueCounts('parcels')).toMatchObject({ ready: 1 });
  });

  it('is left to another worker by one that has no store', async () => {
    const one = producer();
    const id = idOf(await one.enqueue(job, parcel(100_000)));
    await consume(() => undefined, { blobs: undefined });
    const view = await world.untilState(one, id, 'held');
    expect(view).toMatchObject({ reason: 'no_handler', attempts: { made: 0 } });
  });

  it('that is gone ends its job as unreadable, with the reason', async () => {
    const one = producer();
    const id = idOf(await one.enqueue(job, parcel(100_000)));
    const { blob } = JSON.parse(await stored(id)) as { blob: string };
    const doomed = open({ nowMs: () => Date.now() + 2 * HOURS_MS });
    await doomed.sweep({ stillNeeded: async () => [] });
    expect(blob).toMatch(/^blob:/);
    expect(await files()).toEqual([]);
    await consume(() => undefined);
    const { lastError } = await world.untilState(one, id, 'dead');
    expect(lastError).toMatchObject({
      code: 'unreadable',
      message: 'the stored payload is gone from the blob store',
    });
  });

  it('is tried again while the store cannot be reached, or lacks what is known to be stored', async () => {
    const one = producer();
    const id = idOf(await one.enqueue(job, parcel(100_000)));
    const other = await mkdtemp(join(tmpdir(), 'queue-payloads-'));
    const wrong = await consume(() => undefined, { blobs: open({ store: createFileStore(other) }) });
    const view = await world.untilState(one, id, 'dead');
    await wrong.close();
    await rm(other, { recursive: true });
    expect(view.lastError).toMatchObject({ code: 'attempts_exhausted', class: 'retryable' });
    expect(view.lastError?.message).toContain('is FAIRLANE_BLOB_STORE the same everywhere?');

    const operations = world.operations({ catalogue });
    expect(await operations.replay(id)).toBe('replayed');
    let fails = 1;
    const store = createFileStore(directory);
    const flaky: BlobStore = {
      ...store,
      get: async (...args) => {
        fails -= 1;
        if (fails >= 0) throw new Error('connect ECONNREFUSED');
        return store.get(...args);
      },
    };
    await consume(() => undefined, { blobs: open({ store: flaky }) });
    const { attempts } = await world.untilState(one, id, 'completed');
    expect(attempts.made).toBe(2);
  });
});

describe('A38 a stored payload', () => {
  it('lives as long as its job, dead or alive, and goes with it', async () => {
    const one = producer();
    const operations = world.operations({ catalogue, blobs });
    const id = idOf(await one.enqueue(job, parcel(100_000)));
    await sweepLater();
    expect(await files()).toHaveLength(1);
    const failing = await consume(() => {
      throw new PermanentError();
    });
    await world.untilState(one, id, 'dead');
    await failing.close();
    await sweepLater();
    expect(await files()).toHaveLength(1);
    expect(await operations.replay(id)).toBe('replayed');
    const again = await consume(() => {
      throw new PermanentError();
    });
    await world.untilState(one, id, 'dead');
    await again.close();

    expect(await operations.purge(id)).toBe('purged');
    await new BlobSweeper({ blobs, memory: world.memory(), logger: world.logger }).sweep();
    expect(await files()).toEqual([]);
  });

  it('goes when its completed job is trimmed, and at the latest an hour later', async () => {
    const one = producer();
    const id = idOf(await one.enqueue(job, parcel(100_000)));
    await consume(() => undefined);
    await world.untilState(one, id, 'completed');
    await sweepLater();
    expect(await files()).toHaveLength(1);
    await world.trim('completed');
    const later = open({ nowMs: () => Date.now() + 4 * HOURS_MS });
    await new BlobSweeper({ blobs: later, memory: world.memory(), logger: world.logger }).sweep();
    expect(await files()).toEqual([]);
  });

  it('is told by the operations: inline, in the store, or what cannot be read', async () => {
    const one = producer();
    const operations = world.operations({ catalogue, blobs });
    const small = idOf(await one.enqueue(job, parcel(5)));
    const large = idOf(await one.enqueue(job, parcel(100_000, { parcel: 'p-2' })));
    expect(await operations.payload(small)).toEqual({ kind: 'json', text: JSON.stringify(parcel(5)) });
    expect(await operations.payload(large)).toMatchObject({ kind: 'blob', bytes: 100_045 });
    await redis.client.hset(`${redis.prefix}:parcels:${small}`, 'data', '{bad');
    expect(await operations.payload(small)).toEqual({ kind: 'unreadable', text: '{bad' });
    expect(await operations.payload('AAAAAAAAAAAAAAAAAAAAAA')).toBeUndefined();
  });
});

describe('A30 a result above 64 KiB', () => {
  it('goes to the blob store, where the job says, as long as the job', async () => {
    const one = producer();
    const id = idOf(await one.enqueue(job, parcel(1)));
    await consume(() => ({ text: 'y'.repeat(100_000) }));
    const { result } = await world.untilState(one, id, 'completed');
    expect(result).toEqual({ tooLarge: true, bytes: 100_011, source: expect.stringMatching(/^blob:/) });
    await sweepLater();
    const { source } = result as { source: string };
    const bytes = await blobs.readAll(source, { maxBytes: 200_000 });
    expect(JSON.parse(bytes.toString())).toEqual({ text: 'y'.repeat(100_000) });
  });

  it('is lost, and the job is not, when the store does not take it', async () => {
    const one = producer();
    const id = idOf(await one.enqueue(job, parcel(1)));
    const broken: BlobStore = {
      ...createFileStore(directory),
      put: async () => Promise.reject(new Error('no space left on device')),
    };
    await consume(() => 'y'.repeat(100_000), { blobs: open({ store: broken }) });
    const { result } = await world.untilState(one, id, 'completed');
    expect(result).toEqual({ tooLarge: true, bytes: 100_002 });
    await until('the log says so', () =>
      world.lines.some(({ message }) => message === 'a result was not kept'),
    );
  });
});

describe('A38 a stored file that a payload names', () => {
  it('is kept as long as the job, and no longer', async () => {
    const one = producer();
    const { source } = await upload();
    const id = idOf(await one.enqueue(job, parcel(1, { file: source })));
    await sweepLater();
    expect(await blobs.size(source)).toBe(3);
    expect(await world.operations({ catalogue, blobs }).cancel(id)).toBe('cancelled');
    await world.trim('cancelled');
    const later = open({ nowMs: () => Date.now() + 4 * HOURS_MS });
    await new BlobSweeper({ blobs: later, memory: world.memory(), logger: world.logger }).sweep();
    expect(await files()).toEqual([]);
  });

  it('is waited for by nobody: a job that names none that is there is refused, and says so', async () => {
    const { source } = await upload();
    await blobs.release(source, 'upload:1');
    await blobs.sweep({ stillNeeded: async () => [] });
    for (const file of [source, 'file:///etc/passwd']) {
      const refused = await producer().enqueue(job, parcel(1, { file }));
      expect(refused).toMatchObject({ outcome: 'refused', code: 'invalid_payload' });
      expect(JSON.stringify(refused)).toContain('which is not stored');
    }
    const without = await producer({ blobs: undefined }).enqueue(job, parcel(1, { file: source }));
    expect(JSON.stringify(without)).toContain('set FAIRLANE_BLOB_STORE');
  });
});
