import { catalogue, outreachSend } from '@fairlane/jobs/contracts';
import { readEnv } from '@fairlane/runtime';
import { implement } from '@fairlane/sdk';
import { workerVariables } from '../../src/environment.js';
import { runWorker } from '../../src/run-worker.js';

/** A handler that does what the payload's body says, whatever its signal says. */
const handler = implement(outreachSend, async ({ body }) => {
  const [what, ms = '0'] = body.split(' ');
  if (what === 'block') {
    process.stdout.write(`${JSON.stringify({ blocking: true })}\n`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
  }
  if (what === 'ignore') {
    process.stdout.write(`${JSON.stringify({ ignoring: true })}\n`);
    await new Promise(() => undefined);
  }
  return { messageId: what };
});

await runWorker({ env: readEnv(workerVariables(catalogue)), catalogue, implementations: () => [handler] });
