import { scaleOf, type Benchmark } from '../benchmark.js';
import { loadHeldJobs } from '../measure/held.js';
import { medianRatio } from '../measure/pairs.js';
import { MEASURED_QUEUE, throughput } from '../measure/throughput.js';

const ACCOUNTS = 100;

/** Whether 100,000 jobs held behind 1,000 closed gates slow down the jobs that may run (R10). */
export const throughputWithHeld: Benchmark = {
  names: ['throughput_with_100k_held'],
  async run(context) {
    const scale = scaleOf(context);
    const held = { jobs: context.quick ? 10_000 : 100_000, accounts: context.quick ? 100 : 1_000 };
    const ratio = await medianRatio(
      { pairs: scale.pairs, sides: [`${held.jobs} held`, 'none held'], say: context.say },
      () =>
        throughput({
          adapter: 'lanes',
          accounts: ACCOUNTS,
          scale,
          prepare: (_queue, run) => loadHeldJobs(run, MEASURED_QUEUE, held),
        }),
      () => throughput({ adapter: 'lanes', accounts: ACCOUNTS, scale }),
    );
    return { throughput_with_100k_held: ratio };
  },
};
