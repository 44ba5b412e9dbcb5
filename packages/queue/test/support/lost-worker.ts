import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('lost-worker-process.ts', import.meta.url));

/** Starts a worker in a process of its own, waits until it runs the job and kills it with SIGKILL. */
export async function startLostWorker({
  url,
  prefix,
  id,
  leaseMs = 30_000,
}: {
  readonly url: string;
  readonly prefix: string;
  readonly id: string;
  readonly leaseMs?: number;
}): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions', 'fairlane-source', PROGRAM, url, prefix, String(leaseMs)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exit = once(child, 'exit');
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.includes(`running ${id}`)) break;
  }
  child.kill('SIGKILL');
  await exit;
  if (!output.includes(`running ${id}`))
    throw new Error(`the worker ended without running the job: ${output}`);
}
