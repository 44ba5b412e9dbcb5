export { narrowings } from './narrowings.js';
export {
  compatibilityProblems,
  releaseContract,
  type ReleasedContract,
  type ReleasedSample,
} from './released-contract.js';
