import { LaneError } from '@fairlane/lanes';
import { Problem } from '../http/problems.js';

/** Settings that the lanes turn down are the caller's to correct: 422 with their reason. */
export async function refusing<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof LaneError)) throw error;
    throw new Problem('invalid_limits', { detail: error.message, cause: error });
  }
}
