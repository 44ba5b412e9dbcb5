import { scaleOf, type Benchmark } from '../benchmark.js';
import { medianRatio } from '../measure/pairs.js';
import { throughput } from '../measure/throughput.js';

const ACCOUNTS = 100;

/** Without limits, since groupmq knows none; it runs one job of an account at a time. */
export const throughputVsGroupmq: Benchmark = {
  names: ['throughput_lanes_vs_groupmq_100'],
  async run(context) {
    const scale = scaleOf(context);
    const ratio = await medianRatio(
      { pairs: scale.pairs, sides: ['lanes', 'groupmq'], say: context.say },
      () => throughput({ adapter: 'lanes', accounts: ACCOUNTS, scale }),
      () => throughput({ adapter: 'groupmq', accounts: ACCOUNTS, scale }),
    );
    return { throughput_lanes_vs_groupmq_100: ratio };
  },
};
