import type { JobContract } from '@fairlane/sdk';
import type { AppContext } from '../context.js';
import { Problem } from '../http/problems.js';

/** The declared job of a name, or 404. */
export function contractOf({ catalogue }: AppContext, name: string): JobContract {
  const contract = catalogue.job(name);
  if (!contract) throw new Problem('unknown_job');
  return contract;
}
