import { fileURLToPath } from 'node:url';
import { runSteps } from '@fairlane/testkit/steps';
import { text } from './text-job.js';

export interface PayloadCrash {
  readonly action: 'submit' | 'purge';
  readonly redisUrl: string;
  readonly prefix: string;
  readonly directory: string;
  /** Of the dead letter to purge. */
  readonly id: string;
  /** The process is killed when so many steps are done. */
  readonly killAfter: number;
}

export const LARGE = text(100_000);

const PROGRAM = fileURLToPath(new URL('payload-crash-process.ts', import.meta.url));

/** Runs the action in a process of its own. @returns its number of steps, or undefined when it was killed. */
export async function runKilled(input: PayloadCrash): Promise<number | undefined> {
  return runSteps(PROGRAM, input);
}
