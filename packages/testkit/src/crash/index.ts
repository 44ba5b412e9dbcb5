export { runCrashes } from './crash-run.js';
export { crashOptions } from './options.js';
