import type { Place } from '../adapters/adapter.js';
import { adapterByName, type AdapterName } from '../adapters/by-name.js';
import { monotonicMs } from '../measure/clock.js';
import { assignment, leave, tell, told } from './channel.js';

/** Works off a preloaded queue with a handler that does nothing, and tells how long that took. */
export interface DrainSpec {
  readonly adapter: AdapterName;
  readonly concurrency: number;
  readonly databaseUrl?: string | undefined;
  /** Drained first, unmeasured: code is compiled, scripts are loaded. */
  readonly warmUp: DrainPart;
  readonly measured: DrainPart;
}

export interface DrainPart {
  readonly queue: string;
  readonly jobs: number;
  /** Only jobs of accounts with this prefix count. */
  readonly accountPrefix?: string;
}

export interface DrainResult {
  readonly elapsedMs: number;
  readonly cpuMs: number;
}

const { port, spec } = assignment() as { port: number; spec: DrainSpec };
const adapter = adapterByName(spec.adapter);

async function drain({ queue, jobs, accountPrefix = '' }: DrainPart): Promise<DrainResult> {
  const place: Place = { port, queue, databaseUrl: spec.databaseUrl };
  let left = jobs;
  let finish: () => void;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const worker = await adapter.openWorker(place, {
    concurrency: spec.concurrency,
    handle: async () => undefined,
    completed(job) {
      if (!job.account.startsWith(accountPrefix)) return;
      left -= 1;
      if (left === 0) finish();
    },
  });
  const cpu = process.cpuUsage();
  const startMs = monotonicMs();
  worker.run();
  await finished;
  const elapsedMs = monotonicMs() - startMs;
  const used = process.cpuUsage(cpu);
  await worker.close();
  return { elapsedMs, cpuMs: (used.user + used.system) / 1_000 };
}

if (spec.warmUp.jobs > 0) await drain(spec.warmUp);
await tell('ready');
await told('go');
await tell(await drain(spec.measured));
leave();
