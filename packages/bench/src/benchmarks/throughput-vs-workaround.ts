import type { AdapterName } from '../adapters/by-name.js';
import { scaleOf, type Benchmark } from '../benchmark.js';
import { limitAccounts, WIDE_OPEN } from '../measure/limits.js';
import { medianRatio } from '../measure/pairs.js';
import { throughput } from '../measure/throughput.js';
import { workload } from '../workload.js';

const HALF = 50;

/**
 * Half of 100 accounts are at their limit of one job a second and have as many jobs waiting as the open
 * half; measured is how fast the open half's jobs get done. The held jobs cost the workaround a take, a
 * question and a move each, again and again.
 */
export const throughputVsWorkaround: Benchmark = {
  names: ['throughput_lanes_vs_workaround_100'],
  async run(context) {
    const full = scaleOf(context);
    const scale = { ...full, jobs: full.jobs / 2 };
    const side = (adapter: AdapterName) => () =>
      throughput({
        adapter,
        accounts: HALF,
        scale,
        async prepare(queue) {
          await limitAccounts(queue, { accounts: HALF, limits: WIDE_OPEN });
          await limitAccounts(queue, {
            accounts: HALF,
            prefix: 'busy',
            limits: { limit: 1, perMs: 1_000, burst: 1 },
          });
        },
        mixedIn: workload({ jobs: scale.jobs, accounts: HALF, prefix: 'busy' }),
      });
    const ratio = await medianRatio(
      { pairs: scale.pairs, sides: ['lanes', 'workaround'], say: context.say },
      side('lanes'),
      side('workaround'),
    );
    return { throughput_lanes_vs_workaround_100: ratio };
  },
};
