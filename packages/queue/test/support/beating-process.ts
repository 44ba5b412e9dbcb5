import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const PROGRAM = fileURLToPath(new URL('beating-worker-process.ts', import.meta.url));

/** Starts a worker in a process of its own; it is killed when the test ends. */
export function beatingProcess({
  url,
  prefix,
}: {
  readonly url: string;
  readonly prefix: string;
}): ChildProcess {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions', 'fairlane-source', PROGRAM, url, prefix],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const exit = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  return child;
}
