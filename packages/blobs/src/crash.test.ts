import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterAll, beforeAll } from 'vitest';
import { createFileStore } from './stores/file-store.js';
import { describeCrashes } from '../test/support/crash-suite.js';

const redis = useRedis();

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'blobs-crash-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describeCrashes(redis, async (prefix) => {
  const directory = join(root, prefix);
  await mkdir(directory);
  const files = async () => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  };
  return {
    location: { directory },
    open: () => createFileStore(directory),
    left: files,
    // Not the objects: no step may leave one that nobody knows.
    age: async () => {
      for (const file of await files()) {
        if (file.includes('/unfinished/')) await utimes(file, 1, 1);
      }
    },
  };
});
