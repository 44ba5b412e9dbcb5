import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { BlobStore, StoredObject } from '../blob-store.js';
import { newObjectId } from '../stores/object-id.js';

const FUTURE_MS = Date.now() + 86_400_000;

/** What every store must do, whatever it is made of. */
export function describeStoreContract(storeInTests: () => BlobStore): void {
  async function stored(bytes: Uint8Array): Promise<{ store: BlobStore; id: string }> {
    const store = storeInTests();
    const id = newObjectId();
    await store.put(id, chunks(bytes));
    return { store, id };
  }

  it.each([0, 1, 65_536, 20 * 1024 * 1024 + 7])('gives %i bytes back as they were put', async (length) => {
    const bytes = randomBytes(length);
    const { store, id } = await stored(bytes);
    expect((await read(store, id))?.equals(bytes)).toBe(true);
    expect(await store.head(id)).toMatchObject({ id, bytes: length });
  });

  it('knows when an object was stored', async () => {
    const beforeMs = Date.now();
    const { store, id } = await stored(Buffer.from('x'));
    const { storedAtMs = 0 } = (await store.head(id)) ?? {};
    // S3 gives whole seconds.
    expect(storedAtMs).toBeGreaterThan(beforeMs - 1_500);
    expect(storedAtMs).toBeLessThan(Date.now() + 1_000);
  });

  it.each([
    [{ start: 2 }, 'cdef'],
    [{ end: 2 }, 'ab'],
    [{ start: 2, end: 4 }, 'cd'],
    [{ start: 2, end: 99 }, 'cdef'],
    [{ start: 6 }, ''],
    [{ start: 99 }, ''],
    [{ start: 3, end: 3 }, ''],
    [{ start: 0, end: 0 }, ''],
  ])('reads the range %o', async (range, expected) => {
    const { store, id } = await stored(Buffer.from('abcdef'));
    expect((await read(store, id, range))?.toString()).toBe(expected);
  });

  it('says that it has no such object', async () => {
    const store = storeInTests();
    expect(await store.get(newObjectId())).toBeUndefined();
    expect(await store.get(newObjectId(), { start: 5 })).toBeUndefined();
    expect(await store.head(newObjectId())).toBeUndefined();
  });

  it('deletes, and again', async () => {
    const { store, id } = await stored(Buffer.from('x'));
    await store.delete(id);
    await store.delete(id);
    expect(await store.head(id)).toBeUndefined();
  });

  it('shows nothing of a put that failed', async () => {
    const store = storeInTests();
    const id = newObjectId();
    await expect(store.put(id, failing(9 * 1024 * 1024))).rejects.toThrow('cut off');
    expect(await store.get(id)).toBeUndefined();
    expect(await idsOf(store.list({ beforeMs: FUTURE_MS }))).not.toContain(id);
  });

  it('stops a put that it is told to stop', async () => {
    const store = storeInTests();
    const id = newObjectId();
    const stop = new AbortController();
    async function* endless() {
      for (;;) {
        yield randomBytes(1024);
        stop.abort();
      }
    }
    await expect(store.put(id, endless(), { signal: stop.signal })).rejects.toThrow(/abort/i);
    expect(await store.head(id)).toBeUndefined();
  });

  it('lists what is older than a time', async () => {
    const { store, id } = await stored(Buffer.from('x'));
    expect(await idsOf(store.list({ beforeMs: FUTURE_MS }))).toContain(id);
    expect(await idsOf(store.list({ beforeMs: Date.now() - 60_000 }))).not.toContain(id);
  });

  it.each(['../../../etc/passwd', '', 'a/b', `${'x'.repeat(22)}\n`])('takes no id such as %j', async (id) => {
    const store = storeInTests();
    await expect(store.put(id, chunks(Buffer.from('x')))).rejects.toThrow(TypeError);
    await expect(store.get(id)).rejects.toThrow(TypeError);
    await expect(store.delete(id)).rejects.toThrow(TypeError);
  });

  it('can be checked', async () => {
    await storeInTests().check();
  });
}

async function read(store: BlobStore, id: string, range?: { start?: number; end?: number }) {
  const body = await store.get(id, range);
  return body === undefined ? undefined : buffer(body);
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

async function* failing(length: number): AsyncGenerator<Uint8Array> {
  yield randomBytes(length);
  throw new Error('cut off');
}

async function idsOf(list: AsyncIterable<StoredObject>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}
