import { setTimeout as delay } from 'node:timers/promises';

import type { BenchContext, Benchmark } from '../benchmark.js';
import { monotonicMs } from '../measure/clock.js';
import { inRun } from '../measure/run.js';
import { percentile, rounded } from '../measure/statistics.js';
import type { Start } from '../programs/observe.js';
import { readTrace, smallAccounts, syntheticDay, type Arrival } from '../trace.js';
import { benchJob, type BenchJob } from '../workload.js';

const QUEUE = 'measured';
const WORKERS = 2;
const SLOTS = 20;
/** Together they could do the day's work in four fifths of its time; its peaks have to wait. */
const UTILISATION = 0.8;
const HANDLER_MS = 20;
const SMALL_SHARE = 0.05;
/** The quick run replays the day up to here; a slice of it has the same arrival pattern. */
const QUICK_MINUTES = 120;

/** What the small accounts of a shared queue notice of the large ones (R6). */
export const smallAccountWait: Benchmark = {
  names: ['small_account_wait_ratio'],
  async run(context) {
    const day = await arrivalsOf(context);
    const small = smallAccounts(day, SMALL_SHARE);
    const minuteMs = minuteFor(day);
    context.say(
      `${day.length} arrivals, ${small.size} small accounts, a minute in ${minuteMs.toFixed(1)} ms`,
    );
    const alone = await replay(
      day.filter((arrival) => small.has(arrival.account)),
      minuteMs,
      small,
    );
    const together = await replay(day, minuteMs, small);
    const aloneMs = percentile(alone.waitsMs, 99);
    const togetherMs = percentile(together.waitsMs, 99);
    const handlerMs = percentile(alone.durationsMs, 99);
    context.say(
      `p99 wait of small accounts: ${togetherMs.toFixed(1)} ms together, ${aloneMs.toFixed(1)} ms alone; ` +
        `handler ${handlerMs.toFixed(1)} ms`,
    );
    context.say(`p99 wait of the others: ${percentile(together.otherWaitsMs, 99).toFixed(1)} ms`);
    return { small_account_wait_ratio: rounded(togetherMs / (aloneMs + handlerMs)) };
  },
};

async function arrivalsOf({ trace, quick }: BenchContext): Promise<Arrival[]> {
  const day =
    trace === undefined ? syntheticDay({ accounts: 200, jobs: 200_000, seed: 1 }) : await readTrace(trace);
  return quick ? day.filter((arrival) => arrival.minute < QUICK_MINUTES) : day;
}

/** How long a minute of the trace takes in the replay, so that the slots are busy but not swamped. */
function minuteFor(day: readonly Arrival[]): number {
  const jobs = day.reduce((sum, arrival) => sum + arrival.jobs, 0);
  const minutes = day.at(-1)!.minute + 1;
  const jobsPerMs = (WORKERS * SLOTS * UTILISATION) / HANDLER_MS;
  return jobs / jobsPerMs / minutes;
}

interface Waits {
  readonly waitsMs: number[];
  readonly otherWaitsMs: number[];
  readonly durationsMs: number[];
}

async function replay(
  arrivals: readonly Arrival[],
  minuteMs: number,
  small: ReadonlySet<string>,
): Promise<Waits> {
  const jobs = arrivals.reduce((sum, arrival) => sum + arrival.jobs, 0);
  const addedMs = new Map<string, number>();
  const starts = await inRun({}, async (run) => {
    const queue = await run.openQueue('lanes', QUEUE);
    const workers = await Promise.all(
      Array.from({ length: WORKERS }, () =>
        run.start('observe', {
          adapter: 'lanes',
          queue: QUEUE,
          concurrency: SLOTS,
          handlerMs: HANDLER_MS,
        }),
      ),
    );
    for (const worker of workers) worker.send('go');
    const beginMs = monotonicMs();
    for (const [minute, batch] of batchesByMinute(arrivals)) {
      await delay(Math.max(0, beginMs + minute * minuteMs - monotonicMs()));
      const nowMs = monotonicMs();
      for (const job of batch) addedMs.set(job.id, nowMs);
      await queue.load(batch);
    }
    while ((await queue.unfinished()) > 0) await delay(100);
    for (const worker of workers) worker.send('stop');
    const results = await Promise.all(workers.map((worker) => worker.result));
    return results.flatMap((result) => result.starts);
  });
  if (starts.length !== jobs) throw new Error(`expected ${jobs} starts, saw ${starts.length}`);
  const waitMs = (start: Start): number => start.monotonicMs - addedMs.get(start.id)!;
  return {
    waitsMs: starts.filter((start) => small.has(start.account)).map(waitMs),
    otherWaitsMs: starts.filter((start) => !small.has(start.account)).map(waitMs),
    durationsMs: starts.flatMap((start) => start.durationMs ?? []),
  };
}

function batchesByMinute(arrivals: readonly Arrival[]): Map<number, BenchJob[]> {
  const batches = new Map<number, BenchJob[]>();
  let index = 0;
  for (const { minute, account, jobs } of arrivals) {
    const batch = batches.get(minute) ?? [];
    for (let count = 0; count < jobs; count += 1) batch.push(benchJob(account, index++));
    batches.set(minute, batch);
  }
  return batches;
}
