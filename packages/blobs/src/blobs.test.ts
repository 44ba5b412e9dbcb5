import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { classifyError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBlobs, type Blobs, type HeldBlob } from './blobs.js';
import { ORPHAN_AGE_MS, RENEW_MS } from './bounds.js';
import { sha256 } from './measure.js';
import { parseSource } from './source.js';
import { createFileStore } from './stores/file-store.js';
import { newObjectId } from './stores/object-id.js';

const redis = useRedis();
const HOLD_MS = 60_000;

let directory: string;
let nowMs: number;
let errors: unknown[];
let blobs: Blobs;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'blobs-'));
  nowMs = 1_700_000_000_000;
  errors = [];
  blobs = open();
});

afterEach(async () => {
  await blobs.close();
  await rm(directory, { recursive: true, force: true });
});

function open(): Blobs {
  return createBlobs({
    store: createFileStore(directory),
    redis: redis.url,
    prefix: redis.prefix,
    nowMs: () => nowMs,
    onError: (error) => errors.push(error),
  });
}

function put(content: string, owner = 'job-1', more: { digest?: string; maxBytes?: number } = {}) {
  return blobs.put(Buffer.from(content), { owner, holdMs: HOLD_MS, maxBytes: 1_000, ...more });
}

async function* streamed(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

/** A sweep in which these owners still need their blob. */
function sweepWith(...needed: string[]) {
  return blobs.sweep({ stillNeeded: async () => needed });
}

async function contentOf({ source }: Pick<HeldBlob, 'source'>): Promise<string | undefined> {
  return blobs.read(source).then(
    (body) => text(body),
    () => undefined,
  );
}

function path({ source }: Pick<HeldBlob, 'source'>): string {
  const { id = '' } = parseSource(source) ?? {};
  return join(directory, 'objects', id.slice(0, 2), id);
}

async function filesLeft(): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('storing', () => {
  it('names the bytes and how long they are held', async () => {
    const held = await put('hello');
    expect(held).toEqual({
      source: expect.stringMatching(/^blob:2cf24dba[0-9a-f]{56}\.[\w-]{22}$/) as string,
      digest: sha256(Buffer.from('hello')),
      bytes: 5,
      heldUntilMs: nowMs + HOLD_MS,
    });
    expect(await contentOf(held)).toBe('hello');
    expect(await blobs.size(held.source)).toBe(5);
  });

  it('takes a stream whose digest nobody knows yet', async () => {
    const held = await blobs.put(streamed('hel', 'lo'), { owner: 'u', holdMs: HOLD_MS, maxBytes: 5 });
    expect(held.digest).toBe(sha256(Buffer.from('hello')));
    expect(await blobs.find(held.digest)).toEqual({ source: held.source, digest: held.digest, bytes: 5 });
  });

  it('stores the same bytes once', async () => {
    const [first, second] = [await put('hello', 'job-1'), await put('hello', 'job-2')];
    expect(second.source).toBe(first.source);
    expect(await filesLeft()).toHaveLength(1);
  });

  it('stores them again when the store has lost them', async () => {
    const first = await put('hello');
    await rm(path(first));
    const second = await put('hello', 'job-2');
    expect(second.source).not.toBe(first.source);
    expect(await contentOf(second)).toBe('hello');
  });

  it('R14 takes no more than its bound, and keeps nothing of it', async () => {
    const request = { owner: 'u', holdMs: HOLD_MS, maxBytes: 4 };
    await expect(blobs.put(streamed('hel', 'lo'), request)).rejects.toMatchObject({
      code: 'payload_too_large',
      maxBytes: 4,
    });
    await expect(put('hello', 'u', { maxBytes: 4 })).rejects.toThrow('more than 4 bytes');
    await sweepWith();
    expect(await filesLeft()).toEqual([]);
  });

  it('refuses other bytes than were announced, and keeps nothing of them', async () => {
    const digest = sha256(Buffer.from('other'));
    const request = { owner: 'u', holdMs: HOLD_MS, maxBytes: 9, digest };
    await expect(blobs.put(streamed('hello'), request)).rejects.toMatchObject({ code: 'digest_mismatch' });
    await expect(put('hello', 'u', { digest })).rejects.toMatchObject({ code: 'digest_mismatch' });
    await sweepWith();
    expect(await filesLeft()).toEqual([]);
    expect(await blobs.find(sha256(Buffer.from('hello')))).toBeUndefined();
  });

  it('says that the hold was lost when storing took longer than it', async () => {
    async function* slow() {
      yield Buffer.from('hel');
      nowMs += HOLD_MS + 1;
      await sweepWith();
      yield Buffer.from('lo');
    }
    const request = { owner: 'u', holdMs: HOLD_MS, maxBytes: 9 };
    const error: unknown = await blobs.put(slow(), request).catch((thrown: unknown) => thrown);
    expect(classifyError(error)).toMatchObject({ class: 'retryable', applied: 'no' });
    expect(await filesLeft()).toEqual([]);
  });

  it('begins the hold anew when the bytes are stored', async () => {
    async function* slow() {
      nowMs += HOLD_MS - 1;
      yield Buffer.from('hello');
    }
    const held = await blobs.put(slow(), { owner: 'u', holdMs: HOLD_MS, maxBytes: 9 });
    expect(held.heldUntilMs).toBe(nowMs + HOLD_MS);
  });
});

describe('holding what is stored', () => {
  it('keeps it for one more owner', async () => {
    const { source } = await put('hello', 'upload');
    expect(await blobs.hold(source, { owner: 'job-1', holdMs: HOLD_MS })).toMatchObject({ source, bytes: 5 });
    await blobs.release(source, 'upload');
    await sweepWith();
    expect(await contentOf({ source })).toBe('hello');
  });

  it('never shortens a hold', async () => {
    const { source, heldUntilMs } = await put('hello');
    const again = await blobs.hold(source, { owner: 'job-1', holdMs: 1 });
    expect(again?.heldUntilMs).toBe(heldUntilMs);
  });

  it.each([
    ['a URL', async () => 'https://example.com/x.csv'],
    ['an id that was never stored', async ({ digest }: HeldBlob) => `blob:${digest}.${newObjectId()}`],
    ['another digest', async ({ source }: HeldBlob) => source.replace(/blob:.{8}/, 'blob:00000000')],
    [
      'one that is gone',
      async ({ source }: HeldBlob) => {
        await blobs.release(source, 'job-1');
        await sweepWith();
        return source;
      },
    ],
  ])('does not know %s', async (_what, sourceOf) => {
    const source = await sourceOf(await put('hello'));
    expect(await blobs.hold(source, { owner: 'job-2', holdMs: HOLD_MS })).toBeUndefined();
    await expect(blobs.readAll(source, { maxBytes: 9 })).rejects.toThrow(/is not stored|has other bytes/);
  });

  it('leaves no hold on what it does not know', async () => {
    const held = await put('hello');
    const wrong = held.source.replace(/blob:.{8}/, 'blob:00000000');
    await blobs.hold(wrong, { owner: 'job-2', holdMs: HOLD_MS });
    await blobs.release(held.source, 'job-1');
    expect(await sweepWith('job-2')).toMatchObject({ deleted: 1 });
  });
});

describe('reading', () => {
  it('reads on from a byte', async () => {
    const { source } = await put('hello');
    expect(await text(await blobs.read(source, { start: 3 }))).toBe('lo');
  });

  it('ends in an error where the store has other bytes', async () => {
    const held = await put('hello');
    await writeFile(path(held), 'jello');
    await expect(blobs.readAll(held.source, { maxBytes: 9 })).rejects.toMatchObject({ code: 'blob_corrupt' });
  });

  it('R14 takes no more into memory than its bound', async () => {
    const { source } = await put('hello');
    await expect(blobs.readAll(source, { maxBytes: 4 })).rejects.toThrow('more than 4 bytes');
  });

  it('says for good that a blob is gone', async () => {
    const source = `blob:${'0'.repeat(64)}.${newObjectId()}`;
    const reads = [
      () => blobs.read(source),
      () => blobs.size(source),
      () => blobs.readAll(source, { maxBytes: 9 }),
    ];
    for (const read of reads) {
      const error: unknown = await read().catch((thrown: unknown) => thrown);
      expect(classifyError(error)).toMatchObject({ class: 'permanent', code: 'target_gone' });
    }
  });
});

describe('the sweep', () => {
  it('asks about nobody whose hold lasts', async () => {
    const held = await put('hello');
    nowMs += HOLD_MS - 1;
    const asked: string[] = [];
    await blobs.sweep({
      stillNeeded: async (owners) => {
        asked.push(...owners);
        return [];
      },
    });
    expect(asked).toEqual([]);
    expect(await contentOf(held)).toBe('hello');
  });

  it('deletes what nobody needs when the hold is over', async () => {
    await put('hello');
    nowMs += HOLD_MS;
    expect(await sweepWith()).toEqual({ deleted: 1, kept: 0, more: false });
    expect(await filesLeft()).toEqual([]);
    expect(await redis.client.keys(`${redis.prefix}*`)).toEqual([]);
  });

  it('keeps what one of several owners needs, and asks again later', async () => {
    const held = await put('hello', 'job-1');
    await put('hello', 'job-2');
    nowMs += HOLD_MS;
    expect(await sweepWith('job-2')).toEqual({ deleted: 0, kept: 1, more: false });
    expect(await sweepWith()).toEqual({ deleted: 0, kept: 0, more: false });
    expect(await contentOf(held)).toBe('hello');
    nowMs += RENEW_MS;
    expect(await sweepWith()).toMatchObject({ deleted: 1 });
  });

  it('deletes at once what was released', async () => {
    const { source } = await put('hello');
    await blobs.release(source, 'job-1');
    expect(await sweepWith()).toMatchObject({ deleted: 1 });
  });

  it('deletes nothing when it cannot be told who is needed', async () => {
    const held = await put('hello');
    nowMs += HOLD_MS;
    const unknown = blobs.sweep({ stillNeeded: async () => Promise.reject(new Error('Redis is away')) });
    await expect(unknown).rejects.toThrow('Redis is away');
    expect(await contentOf(held)).toBe('hello');
  });

  it('A38 keeps a blob whose owner came back while it was asked about', async () => {
    const held = await put('hello');
    nowMs += HOLD_MS;
    await blobs.sweep({
      stillNeeded: async () => {
        await put('hello', 'job-1');
        return [];
      },
    });
    expect(await contentOf(held)).toBe('hello');
  });

  it('A38 never hands out again what it is deleting', async () => {
    const first = await put('hello');
    await blobs.release(first.source, 'job-1');
    const store = createFileStore(directory);
    let second: HeldBlob | undefined;
    const sweeping = createBlobs({
      store: {
        ...store,
        delete: async (id) => {
          second = await put('hello', 'job-2');
          await store.delete(id);
        },
      },
      redis: redis.url,
      prefix: redis.prefix,
      nowMs: () => nowMs,
    });
    await sweeping.sweep({ stillNeeded: async () => [] });
    await sweeping.close();
    expect(second && (await contentOf(second))).toBe('hello');
  });

  it('R14 looks at a bounded number, and says that there is more', async () => {
    for (const content of ['a', 'b', 'c']) {
      const { source } = await put(content);
      await blobs.release(source, 'job-1');
    }
    const options = { stillNeeded: async () => [], limit: 2 };
    expect(await blobs.sweep(options)).toEqual({ deleted: 2, kept: 0, more: true });
    expect(await blobs.sweep(options)).toEqual({ deleted: 1, kept: 0, more: false });
  });

  it('R14 asks about many holders of one blob in several looks', async () => {
    const { source } = await put('hello', 'job-last');
    const owners = Array.from({ length: 700 }, (_value, at) => `job-${at}`);
    await Promise.all(owners.map((owner) => blobs.hold(source, { owner, holdMs: HOLD_MS })));
    nowMs += HOLD_MS;
    const asked: number[] = [];
    const look = () =>
      blobs.sweep({
        stillNeeded: async (some) => {
          asked.push(some.length);
          return [];
        },
      });
    expect(await look()).toMatchObject({ deleted: 0, kept: 1 });
    expect(await look()).toMatchObject({ deleted: 1 });
    expect(asked).toEqual([500, 201]);
  });

  it('goes on past an object that cannot be deleted, and comes back to it', async () => {
    const stuck = await put('stuck');
    const other = await put('other');
    for (const { source } of [stuck, other]) await blobs.release(source, 'job-1');
    const store = createFileStore(directory);
    let refused = true;
    const sweeping = createBlobs({
      store: {
        ...store,
        delete: async (id) => {
          if (refused && stuck.source.endsWith(id)) throw new Error('access denied');
          await store.delete(id);
        },
      },
      redis: redis.url,
      prefix: redis.prefix,
      nowMs: () => nowMs,
      onError: (error) => errors.push(error),
    });
    expect(await sweeping.sweep({ stillNeeded: async () => [] })).toMatchObject({ deleted: 1 });
    expect(errors).toMatchObject([{ message: 'access denied' }]);
    refused = false;
    expect(await sweeping.sweep({ stillNeeded: async () => [] })).toMatchObject({ deleted: 1 });
    await sweeping.close();
  });
});

describe('the sweep of orphans', () => {
  it('deletes what is old and known to nobody', async () => {
    const kept = await put('kept');
    const store = createFileStore(directory);
    const [old, young] = [newObjectId(), newObjectId()];
    for (const id of [old, young]) await store.put(id, streamed('x'));
    const longAgo = (Date.now() - ORPHAN_AGE_MS) / 1_000 - 1;
    const objects = join(directory, 'objects');
    await utimes(join(objects, old.slice(0, 2), old), longAgo, longAgo);
    await utimes(path(kept), longAgo, longAgo);
    expect(await blobs.sweepOrphans()).toBe(1);
    expect((await filesLeft()).toSorted()).toEqual([young, parseSource(kept.source)?.id ?? ''].toSorted());
  });
});

it('can be checked', async () => {
  await blobs.check();
});

it('holds more than fits into one chunk', async () => {
  const bytes = randomBytes(300_000);
  const { source } = await blobs.put(bytes, { owner: 'j', holdMs: HOLD_MS, maxBytes: 300_000 });
  expect((await blobs.readAll(source, { maxBytes: 300_000 })).equals(bytes)).toBe(true);
});
