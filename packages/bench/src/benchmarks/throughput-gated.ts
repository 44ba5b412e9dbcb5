import { scaleOf, type Benchmark } from '../benchmark.js';
import { limitAccounts, WIDE_OPEN } from '../measure/limits.js';
import { medianRatio } from '../measure/pairs.js';
import { throughput } from '../measure/throughput.js';

const ACCOUNTS = 100;

/** The work of checking a rate, a cap in flight and a window for every job, with none of them closing. */
export const throughputGated: Benchmark = {
  names: ['throughput_gated_vs_bare_100'],
  async run(context) {
    const scale = scaleOf(context);
    const ratio = await medianRatio(
      { pairs: scale.pairs, sides: ['gated', 'bare'], say: context.say },
      () =>
        throughput({
          adapter: 'lanes',
          accounts: ACCOUNTS,
          scale,
          prepare: (queue) => limitAccounts(queue, { accounts: ACCOUNTS, limits: WIDE_OPEN }),
        }),
      () => throughput({ adapter: 'bare', accounts: ACCOUNTS, scale }),
    );
    return { throughput_gated_vs_bare_100: ratio };
  },
};
