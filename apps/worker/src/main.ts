import { createImplementations } from '@fairlane/jobs';
import { catalogue } from '@fairlane/jobs/contracts';
import { readEnv } from '@fairlane/runtime';
import { workerVariables } from './environment.js';
import { jobDependencies, jobVariableIssues, jobVariables } from './job-dependencies.js';
import { runWorker } from './run-worker.js';

const env = readEnv({ ...workerVariables(catalogue), ...jobVariables }, jobVariableIssues);
await runWorker({
  env,
  catalogue,
  implementations: (resources) => createImplementations(jobDependencies(env, resources)),
});
