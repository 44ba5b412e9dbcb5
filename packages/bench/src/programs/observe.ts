import { setTimeout as delay } from 'node:timers/promises';

import { adapterByName, type AdapterName } from '../adapters/by-name.js';
import { monotonicMs } from '../measure/clock.js';
import { assignment, leave, tell, told } from './channel.js';

/** Runs a worker until told to stop and tells when every job started. */
export interface ObserveSpec {
  readonly adapter: AdapterName;
  readonly queue: string;
  readonly concurrency: number;
  readonly databaseUrl?: string | undefined;
  /** How long a job takes, as one that waits for an answer from outside. */
  readonly handlerMs: number;
  /** Ends by itself after so many starts; left out: when told to stop. */
  readonly untilStarts?: number;
}

export interface Start {
  readonly id: string;
  readonly account: string;
  /** The machine's monotonic clock, comparable between processes. */
  readonly monotonicMs: number;
  readonly wallMs: number;
  /** How long the handler took; absent where it was still running at the end. */
  durationMs?: number;
}

export interface ObserveResult {
  readonly starts: readonly Start[];
  /** From `go` to `stop`: what the process did while it was watched. */
  readonly watchedMs: number;
  readonly cpuMs: number;
}

const { port, spec } = assignment() as { port: number; spec: ObserveSpec };
let starts: Start[] = [];
let enough: () => void;
const enoughStarts = new Promise<void>((resolve) => {
  enough = resolve;
});
const worker = await adapterByName(spec.adapter).openWorker(
  { port, queue: spec.queue },
  {
    concurrency: spec.concurrency,
    async handle(job) {
      const start: Start = {
        id: job.id,
        account: job.account,
        monotonicMs: monotonicMs(),
        wallMs: Date.now(),
      };
      starts.push(start);
      if (starts.length === spec.untilStarts) enough();
      if (spec.handlerMs > 0) await delay(spec.handlerMs);
      start.durationMs = monotonicMs() - start.monotonicMs;
    },
    completed: () => undefined,
  },
);
worker.run();
await tell('ready');

await told('go');
starts = [];
const cpu = process.cpuUsage();
const startMs = monotonicMs();
await Promise.race([told('stop'), enoughStarts]);
const watchedMs = monotonicMs() - startMs;
const used = process.cpuUsage(cpu);
const result: ObserveResult = { starts, watchedMs, cpuMs: (used.user + used.system) / 1_000 };
await tell(result);
await worker.close();
leave();
