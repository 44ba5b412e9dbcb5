import { scaleOf, type Benchmark } from '../benchmark.js';
import { medianRatio } from '../measure/pairs.js';
import { throughput } from '../measure/throughput.js';

const ACCOUNTS = [1, 100, 10_000];

const nameFor = (accounts: number): string => `throughput_lanes_vs_bare_${accounts}`;

/** What lanes cost where nothing is limited; bare BullMQ does not look at the account at all. */
export const throughputVsBare: Benchmark = {
  names: ACCOUNTS.map(nameFor),
  async run(context, wanted) {
    const scale = scaleOf(context);
    const results: Record<string, number> = {};
    for (const accounts of ACCOUNTS.filter((count) => wanted.has(nameFor(count)))) {
      context.say(`${accounts} accounts, ${scale.jobs} jobs`);
      results[nameFor(accounts)] = await medianRatio(
        { pairs: scale.pairs, sides: ['lanes', 'bare'], say: context.say },
        () => throughput({ adapter: 'lanes', accounts, scale }),
        () => throughput({ adapter: 'bare', accounts, scale }),
      );
    }
    return results;
  },
};
