import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { describe, expect, it } from 'vitest';

import { startStopwatch } from './stopwatch.js';

describe('a stopwatch', () => {
  it('counts time asleep and time computing', async () => {
    const asleep = startStopwatch();
    await expect.poll(() => asleep.ownMs()).toBeGreaterThan(80);

    const computing = startStopwatch();
    const before = process.cpuUsage();
    const usedMs = () => {
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    while (usedMs() < 100);
    expect(computing.ownMs()).toBeGreaterThan(50);
  });

  it.runIf(process.platform === 'linux')(
    'leaves out the time that a process waits for a processor',
    async () => {
      // Two that share one processor, so that each waits while the other runs.
      const rivals = [1, 2].map(() =>
        spawn('taskset', ['-c', '0', process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' }),
      );
      try {
        await Promise.all(rivals.map((rival) => once(rival, 'spawn')));
        const alone = startStopwatch();
        const withRival = startStopwatch(rivals[0]?.pid ?? 0);
        await expect.poll(() => alone.ownMs() - withRival.ownMs()).toBeGreaterThan(150);
      } finally {
        for (const rival of rivals) rival.kill('SIGKILL');
      }
    },
  );
});
