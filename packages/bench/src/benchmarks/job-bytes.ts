import type { Benchmark } from '../benchmark.js';
import { loadHeldJobs } from '../measure/held.js';
import { inRun, serverFigure } from '../measure/run.js';
import { workload } from '../workload.js';

const ACCOUNTS = 100;

/** Redis memory of one waiting job: held by a closed gate, indexes included, and in bare BullMQ. */
export const jobBytes: Benchmark = {
  names: ['held_job_bytes', 'bare_job_bytes'],
  async run(context, wanted) {
    const jobs = context.quick ? 5_000 : 50_000;
    const results: Record<string, number> = {};
    if (wanted.has('held_job_bytes')) results['held_job_bytes'] = await heldJobBytes(jobs);
    if (wanted.has('bare_job_bytes')) results['bare_job_bytes'] = await bareJobBytes(jobs);
    return results;
  },
};

/** What each account has once, and its one job that ran, are spread over 500 held jobs. */
async function heldJobBytes(jobs: number): Promise<number> {
  return inRun(WITHOUT_FILE, async (run) => {
    await loadHeldJobs(run, 'warm-up', { jobs: 0, accounts: ACCOUNTS, prefix: 'warm' });
    const before = await serverFigure(run.redis, 'memory', 'used_memory');
    await loadHeldJobs(run, 'measured', { jobs, accounts: ACCOUNTS });
    return Math.round(((await serverFigure(run.redis, 'memory', 'used_memory')) - before) / jobs);
  });
}

async function bareJobBytes(jobs: number): Promise<number> {
  return inRun(WITHOUT_FILE, async (run) => {
    const warmUp = await run.openQueue('bare', 'warm-up');
    await warmUp.load(workload({ jobs: ACCOUNTS, accounts: ACCOUNTS }));
    const queue = await run.openQueue('bare', 'measured');
    const before = await serverFigure(run.redis, 'memory', 'used_memory');
    await queue.load(workload({ jobs, accounts: ACCOUNTS }));
    return Math.round(((await serverFigure(run.redis, 'memory', 'used_memory')) - before) / jobs);
  });
}

/** The buffers of an append-only file would be counted along. */
const WITHOUT_FILE = { appendonly: false };
