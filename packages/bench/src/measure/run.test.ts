import { isAlive } from '@fairlane/testkit';
import { describe, expect, it } from 'vitest';

import { workload } from '../workload.js';
import { inRun } from './run.js';

const FAST = { appendonly: false };

describe('a run', () => {
  it('times a worker process from go to the last completed job', async () => {
    const jobs = 200;
    const { elapsedMs, completed } = await inRun(FAST, async (run) => {
      const queue = await run.openQueue('bare', 'measured');
      await queue.load(workload({ jobs, accounts: 10 }));
      const child = await run.start('drain', {
        adapter: 'bare',
        concurrency: 10,
        warmUp: { queue: 'warm-up', jobs: 0 },
        measured: { queue: 'measured', jobs },
      });
      child.send('go');
      const result = await child.result;
      return { ...result, completed: jobs - (await queue.unfinished()) };
    });
    expect(completed).toBe(200);
    expect(elapsedMs).toBeGreaterThan(0);
  });

  it('sees every start, with the clock of this process', async () => {
    const beforeMs = Number(process.hrtime.bigint()) / 1e6;
    const { starts } = await inRun(FAST, async (run) => {
      const queue = await run.openQueue('bare', 'measured');
      const child = await run.start('observe', {
        adapter: 'bare',
        queue: 'measured',
        concurrency: 5,
        handlerMs: 0,
        untilStarts: 20,
      });
      child.send('go');
      await queue.load(workload({ jobs: 20, accounts: 4 }));
      return child.result;
    });
    const afterMs = Number(process.hrtime.bigint()) / 1e6;
    expect(new Set(starts.map((start) => start.id)).size).toBe(20);
    expect(starts.every((start) => start.monotonicMs > beforeMs && start.monotonicMs < afterMs)).toBe(true);
  });

  it('leaves no process behind when it fails', async () => {
    let pid = 0;
    const run = inRun(FAST, async (opened) => {
      const child = await opened.start('observe', {
        adapter: 'bare',
        queue: 'q',
        concurrency: 1,
        handlerMs: 0,
      });
      pid = child.pid;
      throw new Error('half-way');
    });
    await expect(run).rejects.toThrow('half-way');
    expect(isAlive(pid)).toBe(false);
  });
});
