import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/**
 * Runs a program that counts its steps with `Steps`, in a process of its own.
 *
 * @param input its only argument, as JSON.
 * @returns the number of its steps, or undefined when it was killed.
 */
export async function runSteps(program: string, input: object): Promise<number | undefined> {
  const args = ['--no-warnings', '--conditions', 'fairlane-source', '--import', 'tsx', program];
  const child = spawn(process.execPath, [...args, JSON.stringify(input)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code, signal]] = await Promise.all([
    text(child.stdout),
    once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  if (signal === 'SIGKILL') return undefined;
  if (code !== 0) throw new Error(`the process ended with ${code ?? signal}`);
  return Number(output);
}
