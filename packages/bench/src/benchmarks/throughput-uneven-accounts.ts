import { scaleOf, type Benchmark } from '../benchmark.js';
import { medianRatio } from '../measure/pairs.js';
import { throughput } from '../measure/throughput.js';

/** What accounts cost that have no work any more while others have: half of them end with their first job (R10). */
export const throughputUnevenAccounts: Benchmark = {
  names: ['throughput_uneven_vs_even_accounts'],
  async run(context) {
    const scale = scaleOf(context);
    const accounts = scale.jobs / 2;
    const ratio = await medianRatio(
      { pairs: scale.pairs, sides: ['uneven', 'two jobs each'], say: context.say },
      () => throughput({ adapter: 'lanes', accounts, uneven: true, scale }),
      () => throughput({ adapter: 'lanes', accounts, scale }),
    );
    return { throughput_uneven_vs_even_accounts: ratio };
  },
};
