export { runCrashes, type CrashReport } from './crash-run.js';
export { crashOptions, FULL_RUN, type CrashOptions } from './options.js';
