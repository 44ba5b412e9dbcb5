import { createImplementations } from '@fairlane/jobs';
import { catalogue } from '@fairlane/jobs/contracts';
import { readEnv } from '@fairlane/runtime';
import { workerVariables } from './environment.js';
import { jobDependencies, jobUrlVariables, jobVariableIssues, jobVariables } from './job-dependencies.js';
import { runWorker } from './run-worker.js';

const env = readEnv({ ...workerVariables(catalogue), ...jobVariables }, jobVariableIssues);
const urls = readEnv(jobUrlVariables);
await runWorker({
  env,
  catalogue,
  implementations: (resources) => createImplementations(jobDependencies(env, urls, resources)),
});
