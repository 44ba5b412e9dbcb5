import { scaleOf, type Benchmark } from '../benchmark.js';
import { medianRatio } from '../measure/pairs.js';
import { throughput } from '../measure/throughput.js';

/** Whether choosing gets slower with the number of accounts that have work (R10). */
export const throughputManyAccounts: Benchmark = {
  names: ['throughput_10000_vs_10_accounts'],
  async run(context) {
    const scale = scaleOf(context);
    const ratio = await medianRatio(
      { pairs: scale.pairs, sides: ['10,000 accounts', '10 accounts'], say: context.say },
      () => throughput({ adapter: 'lanes', accounts: 10_000, scale }),
      () => throughput({ adapter: 'lanes', accounts: 10, scale }),
    );
    return { throughput_10000_vs_10_accounts: ratio };
  },
};
