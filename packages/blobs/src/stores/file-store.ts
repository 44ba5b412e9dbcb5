import { access, constants, mkdir, open, opendir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { BlobStore, StoredObject } from '../blob-store.js';
import { assertId } from './object-id.js';

/** Names of the folders inside the store's own. */
const OBJECTS = 'objects';
const UNFINISHED = 'unfinished';

/**
 * Objects as files below a folder, for one machine or a shared disk. An object is written beside its place and
 * renamed into it when the disk has it, so that what can be read is whole, whenever the process or the machine dies.
 */
export function createFileStore(directory: string): BlobStore {
  const root = resolve(directory);
  // 64 x 64 folders at most: a million objects are 250 a folder.
  const pathOf = (id: string) => join(root, OBJECTS, assertId(id).slice(0, 2), id);

  return {
    async put(id, body, { signal } = {}) {
      const path = pathOf(id);
      const unfinished = join(root, UNFINISHED, id);
      await mkdir(dirname(unfinished), { recursive: true });
      try {
        await write(unfinished, body, signal);
        await mkdir(dirname(path), { recursive: true });
        await rename(unfinished, path);
      } catch (error) {
        await unlink(unfinished).catch(ignoreMissing);
        throw error;
      }
      // The rename is durable when the folders that hold the names are.
      for (const folder of [dirname(path), join(root, OBJECTS), root]) await sync(folder);
    },

    async get(id, { start = 0, end = Infinity } = {}, { signal } = {}) {
      const file = await open(pathOf(id), 'r').catch(ignoreMissing);
      if (file === undefined) return undefined;
      if (end <= start) {
        await file.close();
        return Readable.from([]);
      }
      // Its `end` is the last byte read.
      return file.createReadStream({ start, end: end - 1, ...(signal === undefined ? {} : { signal }) });
    },

    head: async (id) => describe(pathOf(id), id),

    async delete(id) {
      await unlink(pathOf(id)).catch(ignoreMissing);
    },

    async *list({ beforeMs }) {
      for await (const folder of names(join(root, OBJECTS))) {
        for await (const id of names(join(root, OBJECTS, folder))) {
          const found = await describe(join(root, OBJECTS, folder, id), id);
          if (found !== undefined && found.storedAtMs < beforeMs) yield found;
        }
      }
    },

    async removeUnfinished({ beforeMs }) {
      let removed = 0;
      for await (const name of names(join(root, UNFINISHED))) {
        const path = join(root, UNFINISHED, name);
        const found = await describe(path, name);
        if (found === undefined || found.storedAtMs >= beforeMs) continue;
        await unlink(path).catch(ignoreMissing);
        removed += 1;
      }
      return removed;
    },

    async check() {
      const folder = join(root, UNFINISHED);
      await mkdir(folder, { recursive: true });
      // Not by writing: a full disk keeps nobody from running jobs with small payloads.
      await access(folder, constants.W_OK);
    },

    close: async () => undefined,
  };
}

async function write(
  path: string,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const file = await open(path, 'wx');
  try {
    for await (const chunk of body) {
      signal?.throwIfAborted();
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function describe(path: string, id: string): Promise<StoredObject | undefined> {
  const found = await stat(path).catch(ignoreMissing);
  return found === undefined ? undefined : { id, bytes: found.size, storedAtMs: found.mtimeMs };
}

/** Names in a folder, read a few at a time; a folder that is not there is empty. */
async function* names(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(ignoreMissing);
  if (entries === undefined) return;
  for await (const entry of entries) yield entry.name;
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
