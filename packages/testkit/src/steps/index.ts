export { Steps } from './steps.js';
export { runSteps } from './run-steps.js';
