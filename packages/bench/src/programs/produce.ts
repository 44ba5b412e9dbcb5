import { adapterByName, type AdapterName } from '../adapters/by-name.js';
import { workload, type BenchJob, type WorkloadOptions } from '../workload.js';
import { monotonicMs } from '../measure/clock.js';
import { assignment, leave, tell, told } from './channel.js';

/** Adds jobs one by one, a fixed number at a time under way, and tells how long that took. */
export interface ProduceSpec {
  readonly adapter: AdapterName;
  readonly queue: string;
  readonly inFlight: number;
  readonly warmUp: WorkloadOptions;
  readonly measured: WorkloadOptions;
}

export interface ProduceResult {
  readonly elapsedMs: number;
}

const { port, spec } = assignment() as { port: number; spec: ProduceSpec };
const queue = await adapterByName(spec.adapter).openQueue({ port, queue: spec.queue });

async function produce(options: WorkloadOptions): Promise<ProduceResult> {
  const jobs: BenchJob[] = [...workload(options)];
  let next = 0;
  const startMs = monotonicMs();
  await Promise.all(
    Array.from({ length: spec.inFlight }, async () => {
      while (next < jobs.length) await queue.add(jobs[next++]!);
    }),
  );
  return { elapsedMs: monotonicMs() - startMs };
}

await produce(spec.warmUp);
await tell('ready');
await told('go');
await tell(await produce(spec.measured));
await queue.close();
leave();
