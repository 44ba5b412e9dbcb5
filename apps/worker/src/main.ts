import { createImplementations } from '@fairlane/jobs';
import { catalogue } from '@fairlane/jobs/contracts';
import { readEnv, variables } from '@fairlane/runtime';
import { workerVariables } from './environment.js';
import { runWorker } from './run-worker.js';

const { OUTREACH_GATEWAY_URL } = variables;
const env = readEnv({ ...workerVariables(catalogue), OUTREACH_GATEWAY_URL });
await runWorker({
  env,
  catalogue,
  implementations: createImplementations({ gatewayUrl: env.OUTREACH_GATEWAY_URL }),
});
