import { setTimeout as delay } from 'node:timers/promises';

import type { Benchmark } from '../benchmark.js';
import { allowedStarts, rateViolations, type Rate } from '../measure/rate-check.js';
import { inRun } from '../measure/run.js';
import { rounded } from '../measure/statistics.js';
import type { Start } from '../programs/observe.js';
import { accountName, benchJob, type BenchJob } from '../workload.js';

const QUEUE = 'measured';
const WORKERS = 2;
const ACCOUNTS = 24;
/** Between admission by Redis and the first line of a handler on a busy machine. */
const SLACK_MS = 100;

/** Rates between 5 and 51 a second and bursts between 1 and 8. */
const RATES: readonly Rate[] = Array.from({ length: ACCOUNTS }, (_, index) => ({
  limit: 5 + index * 2,
  perMs: 1_000,
  burst: 1 + (index % 8),
}));

/** Accounts that always have work, two workers: is the limit used in full and never exceeded (R3)? */
export const rate: Benchmark = {
  names: ['rate_achieved_fraction', 'rate_violations'],
  async run(context) {
    const runMs = context.quick ? 5_000 : 30_000;
    const starts = await startsUnderLoad(runMs);
    const endMs = Math.max(...starts.map((start) => start.monotonicMs));
    let made = 0;
    let allowed = 0;
    let violations = 0;
    for (const [index, limits] of RATES.entries()) {
      const account = accountName(index);
      const startsMs = starts
        .filter((start) => start.account === account)
        .map((start) => start.monotonicMs)
        .toSorted((a, b) => a - b);
      if (startsMs.length === 0) throw new Error(`${account} was never served`);
      made += startsMs.length;
      allowed += allowedStarts(limits, endMs - startsMs[0]!);
      violations += rateViolations(startsMs, limits, SLACK_MS);
    }
    context.say(`${made} starts of ${allowed} allowed in ${runMs / 1_000} s`);
    return { rate_achieved_fraction: rounded(made / allowed), rate_violations: violations };
  },
};

async function startsUnderLoad(runMs: number): Promise<Start[]> {
  return inRun({}, async (run) => {
    const queue = await run.openQueue('lanes', QUEUE);
    for (const [index, limits] of RATES.entries()) await queue.limit!(accountName(index), limits);
    const workers = await Promise.all(
      Array.from({ length: WORKERS }, () =>
        run.start('observe', { adapter: 'lanes', queue: QUEUE, concurrency: 10, handlerMs: 5 }),
      ),
    );
    for (const worker of workers) worker.send('go');
    await queue.load(backlog(runMs));
    await delay(runMs);
    for (const worker of workers) worker.send('stop');
    const results = await Promise.all(workers.map((worker) => worker.result));
    return results.flatMap((result) => result.starts);
  });
}

/** Round after round over the accounts, twice of what each may start, so that none runs dry. */
function* backlog(runMs: number): Generator<BenchJob> {
  const left = RATES.map((limits) => 2 * allowedStarts(limits, runMs));
  for (let index = 0; left.some((count) => count > 0); index += 1) {
    const account = index % ACCOUNTS;
    const remaining = left[account]!;
    if (remaining === 0) continue;
    left[account] = remaining - 1;
    yield benchJob(accountName(account), index);
  }
}
