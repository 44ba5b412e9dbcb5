import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { readEnv } from '@fairlane/runtime';
import { implement } from '@fairlane/sdk';
import { workerVariables } from '../../src/environment.js';
import { runWorker } from '../../src/run-worker.js';
import { timedCatalogue, timedJob } from './timed-jobs.js';

/** The file that ends the block of a job that blocks; where it is not named, such a job does not. */
const blockedUntil = process.env['TIMED_BLOCKED_UNTIL'];

/** A blocked event loop hears nothing, but it can look. */
function blockUntil(file: string): void {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(file)) Atomics.wait(nothing, 0, 0, 50);
}

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Says when a job begins and when its time is over, and whether its signal was aborted by then. */
const handler = implement(timedJob, async ({ ms, how }, { job, signal, effect }) => {
  say({ began: job.id });
  if (how === 'wait') await delay(ms, undefined, { signal });
  else if (blockedUntil !== undefined) blockUntil(blockedUntil);
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
