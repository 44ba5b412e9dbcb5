import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
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
  const args = ['--no-warnings', '--conditions', 'fairlane-source', '--import', 'tsx', PROGRAM];
  const child = spawn(process.execPath, [...args, JSON.stringify(input)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code, signal]] = await Promise.all([
    textOf(child.stdout),
    once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  if (signal === 'SIGKILL') return undefined;
  if (code !== 0) throw new Error(`the process ended with ${code ?? signal}`);
  return Number(output);
}
