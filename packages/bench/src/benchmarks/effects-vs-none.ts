import { migrateLedger } from '@fairlane/ledger';
import { startPostgres } from '@fairlane/testkit';

import type { AdapterName } from '../adapters/by-name.js';
import { scaleOf, type BenchContext, type Benchmark } from '../benchmark.js';
import { medianRatio } from '../measure/pairs.js';
import { throughput } from '../measure/throughput.js';

const ACCOUNTS = 100;

/** What it costs to keep a record of one effect a job, for a job that does nothing else. */
export const effectsVsNone: Benchmark = {
  names: ['effects_vs_none', 'effects_postgres_vs_none'],
  async run(context, wanted) {
    const results: Record<string, number> = {};
    if (wanted.has('effects_vs_none')) {
      results['effects_vs_none'] = await ratio(context, 'product-redis-ledger');
    }
    if (wanted.has('effects_postgres_vs_none')) {
      const postgres = await startPostgres({ durable: true });
      try {
        await migrateLedger(postgres.url);
        results['effects_postgres_vs_none'] = await ratio(context, 'product-postgres-ledger', postgres.url);
      } finally {
        await postgres.stop();
      }
    }
    return results;
  },
};

async function ratio(context: BenchContext, adapter: AdapterName, databaseUrl?: string): Promise<number> {
  const { jobs, ...rest } = scaleOf(context);
  const scale = { ...rest, jobs: Math.round(jobs / 3) };
  return medianRatio(
    { pairs: scale.pairs, sides: [adapter, 'no ledger'], say: context.say },
    () => throughput({ adapter, accounts: ACCOUNTS, scale, ...(databaseUrl ? { databaseUrl } : {}) }),
    () => throughput({ adapter: 'product', accounts: ACCOUNTS, scale }),
  );
}
