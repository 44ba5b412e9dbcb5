import { existsSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { temporaryFolder } from '../../packages/testkit/src/vitest/index.js';
import { spawnFixture } from './fixtures/spawn-fixture.js';
import { withLock } from './lock.mjs';

const lockPath = () => join(temporaryFolder(), 'lock');
const ignore = () => undefined;

describe('the lock of the bootstrap', () => {
  it('lets a second command in only after the first is done', async () => {
    const path = lockPath();
    const first = spawnFixture('hold-lock.mjs', path);
    expect(await first.nextLine()).toBe('locked');
    const second = spawnFixture('hold-lock.mjs', path);
    expect(await second.nextLine()).toContain(`waiting: another command (process ${first.process.pid})`);
    first.send('done');
    expect(await first.nextLine()).toBe('released');
    expect(await second.nextLine()).toBe('locked');
    second.send('done');
    await once(second.process, 'exit');
    expect(existsSync(path)).toBe(false);
  });

  it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)('is free again after %s', async (signal) => {
    const path = lockPath();
    const first = spawnFixture('hold-lock.mjs', path);
    expect(await first.nextLine()).toBe('locked');
    first.process.kill(signal);
    await once(first.process, 'exit');
    expect(await withLock(path, ignore, async () => 'entered')).toBe('entered');
  });

  it('is not held by a stranger that got the process id of a dead holder', async () => {
    const path = lockPath();
    writeFileSync(path, `${process.ppid} started-long-ago`);
    expect(await withLock(path, ignore, async () => 'entered')).toBe('entered');
  });

  it('has one holder at a time, however many come at once', async () => {
    const path = lockPath();
    let inside = 0;
    const most: number[] = [];
    const holders = Array.from({ length: 4 }, () => spawnFixture('hold-lock.mjs', path));
    const runs = holders.map(async (holder) => {
      while ((await holder.nextLine()) !== 'locked');
      inside += 1;
      most.push(inside);
      inside -= 1;
      holder.send('done');
      await once(holder.process, 'exit');
    });
    await Promise.all(runs);
    expect(most).toEqual([1, 1, 1, 1]);
  });
});
