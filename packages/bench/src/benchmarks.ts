import type { Benchmark } from './benchmark.js';
import { addVsBare } from './benchmarks/add-vs-bare.js';
import { api } from './benchmarks/api.js';
import { day } from './benchmarks/day.js';
import { effectsVsNone } from './benchmarks/effects-vs-none.js';
import { heldWorker } from './benchmarks/held-worker.js';
import { jobBytes } from './benchmarks/job-bytes.js';
import { oneJobWait } from './benchmarks/one-job-wait.js';
import { openingGates } from './benchmarks/opening-gates.js';
import { rate } from './benchmarks/rate.js';
import { readingsBenchmark } from './benchmarks/readings.js';
import { smallAccountWait } from './benchmarks/small-account-wait.js';
import { throughputGated } from './benchmarks/throughput-gated.js';
import { throughputManyAccounts } from './benchmarks/throughput-many-accounts.js';
import { throughputUnevenAccounts } from './benchmarks/throughput-uneven-accounts.js';
import { throughputVsBare } from './benchmarks/throughput-vs-bare.js';
import { throughputVsGroupmq } from './benchmarks/throughput-vs-groupmq.js';
import { throughputVsWorkaround } from './benchmarks/throughput-vs-workaround.js';
import { throughputWithHeld } from './benchmarks/throughput-with-held.js';
import { twoWorkers } from './benchmarks/two-workers.js';
import { wakeLateness } from './benchmarks/wake-lateness.js';

/** In the order in which they run and are reported. */
export const benchmarks: readonly Benchmark[] = [
  throughputVsBare,
  throughputGated,
  throughputVsGroupmq,
  throughputVsWorkaround,
  throughputManyAccounts,
  throughputUnevenAccounts,
  throughputWithHeld,
  addVsBare,
  oneJobWait,
  rate,
  wakeLateness,
  heldWorker,
  openingGates,
  jobBytes,
  effectsVsNone,
  api,
  readingsBenchmark,
  twoWorkers,
  smallAccountWait,
  day,
];
