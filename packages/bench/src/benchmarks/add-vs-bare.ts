import type { AdapterName } from '../adapters/by-name.js';
import { scaleOf, type Benchmark, type Scale } from '../benchmark.js';
import { medianRatio, type Measured } from '../measure/pairs.js';
import { inRun } from '../measure/run.js';

const ACCOUNTS = 100;
const IN_FLIGHT = 50;

/** Jobs a second of one producer process that adds them one by one, 50 under way. */
export const addVsBare: Benchmark = {
  names: ['add_lanes_vs_bare'],
  async run(context) {
    const scale = scaleOf(context);
    const ratio = await medianRatio(
      { pairs: scale.pairs, sides: ['lanes', 'bare'], say: context.say },
      () => addRate('lanes', scale),
      () => addRate('bare', scale),
    );
    return { add_lanes_vs_bare: ratio };
  },
};

async function addRate(adapter: AdapterName, { jobs, warmUpJobs }: Scale): Promise<Measured> {
  return inRun({}, async (run) => {
    const child = await run.start('produce', {
      adapter,
      queue: 'measured',
      inFlight: IN_FLIGHT,
      warmUp: { jobs: warmUpJobs, accounts: ACCOUNTS, prefix: 'warm' },
      measured: { jobs, accounts: ACCOUNTS },
    });
    child.send('go');
    const { elapsedMs } = await child.result;
    return { value: (jobs / elapsedMs) * 1_000 };
  });
}
