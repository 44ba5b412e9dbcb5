import { join } from 'node:path';
import { withLock } from '../bootstrap/lock.mjs';
import { readArguments } from './arguments.js';
import { completeAnswers, type Terminal } from './ask.js';
import { generateJob } from './generate.js';
import type { Declared } from './job-spec.js';
import { Refusal } from './refusal.js';

/** Where a job is made, and who may be asked about it. */
export interface Surroundings {
  /** Folder of the repository. */
  readonly root: string;
  /** Undefined where nobody can be asked. */
  readonly terminal: Terminal | undefined;
  /** Called when another command has to be waited for. */
  readonly onWait: (message: string) => void;
}

/** What was made. */
export interface NewJob {
  readonly name: string;
  /** Files written and changed, from the root. */
  readonly paths: readonly string[];
}

/**
 * Makes the job that the command line and the person at the terminal describe.
 *
 * @returns undefined where only help was asked for
 * @throws Refusal, and then nothing was written.
 */
export async function newJob(
  args: readonly string[],
  { root, terminal, onWait }: Surroundings,
): Promise<NewJob | undefined> {
  const given = readArguments(args);
  if (given === 'help') return undefined;
  const answers = await completeAnswers(given, await readDeclared(), terminal);
  // Two at once would each write the lists without the other's job.
  const lock = join(root, '.fairlane/lock');
  const paths = await withLock(lock, onWait, async () => generateJob(root, answers));
  return { name: answers.name, paths };
}

async function readDeclared(): Promise<Declared> {
  try {
    const { catalogue } = await import('../../packages/jobs/src/contracts.js');
    return {
      jobs: catalogue.jobs.map(({ name }) => name),
      queues: Object.keys(catalogue.queues.definitions),
      limitGroups: Object.keys(catalogue.limitGroups),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`the jobs that are there cannot be read, mend packages/jobs first: ${reason}`, {
      cause: error,
    });
  }
}
