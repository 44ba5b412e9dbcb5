import { setTimeout as delay } from 'node:timers/promises';
import { readEnv } from '@fairlane/runtime';
import { implement } from '@fairlane/sdk';
import { workerVariables } from '../src/environment.js';
import { runWorker } from '../src/run-worker.js';
import { timedCatalogue, timedJob } from './timed-jobs.js';

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Says when a job begins and when its time is over, and whether its signal was aborted by then. */
const handler = implement(timedJob, async ({ ms, how }, { job, signal, effect }) => {
  say({ began: job.id });
  if (how === 'wait') await delay(ms, undefined, { signal });
  else if (process.env['TIMED_BLOCKS'] === 'yes')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  const performed = await effect('say', { perform: async () => ({ done: true }) }).then(
    () => true,
    () => false,
  );
  say({ ended: job.id, performed });
});

await runWorker({
  env: readEnv(workerVariables(timedCatalogue)),
  catalogue: timedCatalogue,
  implementations: () => [handler],
});
