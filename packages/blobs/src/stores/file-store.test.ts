import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeStoreContract } from '../testing-support/store-contract.js';
import { createFileStore } from './file-store.js';
import { newObjectId } from './object-id.js';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'blobs-file-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the file store', () => {
  describeStoreContract(() => createFileStore(directory));

  it('has nothing in a folder that does not exist yet', async () => {
    const store = createFileStore(join(directory, 'later'));
    expect(await store.head(newObjectId())).toBeUndefined();
    for await (const found of store.list({ beforeMs: Infinity })) expect.unreachable(found.id);
    expect(await store.removeUnfinished({ beforeMs: Infinity })).toBe(0);
  });

  it('removes what a killed put left, once it is old', async () => {
    const store = createFileStore(directory);
    await store.check();
    const [old, young] = [newObjectId(), newObjectId()];
    const unfinished = join(directory, 'unfinished');
    for (const id of [old, young]) await writeFile(join(unfinished, id), 'half');
    await utimes(join(unfinished, old), 1_000, 1_000);
    expect(await store.removeUnfinished({ beforeMs: 2_000_000 })).toBe(1);
    expect(await readdir(unfinished)).toEqual([young]);
  });

  it('says that its folder is none', async () => {
    const file = join(directory, 'a-file');
    await writeFile(file, '');
    await expect(createFileStore(file).check()).rejects.toThrow('ENOTDIR');
  });
});
