import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startGuard } from '@fairlane/testkit';
import { START_PATIENCE_MS } from '@fairlane/testkit/vitest';
import { expect } from 'vitest';

const mains = {
  /** The worker as it was built: it starts in half the time. */
  shipped: fileURLToPath(new URL('../../dist/main.js', import.meta.url)),
  /** The same process with handlers that misbehave. */
  stubborn: fileURLToPath(new URL('./stubborn-main.ts', import.meta.url)),
  /** The same process with jobs that take as long as they say. */
  timed: fileURLToPath(new URL('./timed-main.ts', import.meta.url)),
};

export interface WorkerProcess extends AsyncDisposable {
  pid: number;
  /** Base URL of the health server. */
  health: string;
  /** Lines written so far, parsed. */
  lines: () => Record<string, unknown>[];
  signal(signal: NodeJS.Signals): void;
  /** Exit code, or the name of the signal that ended it. */
  exit: Promise<number | string>;
  /** Status code and reasons of `/healthz` or `/readyz`. */
  check(path: '/healthz' | '/readyz'): Promise<{ status: number; checks: Record<string, string> }>;
}

/** Starts a worker as a process of its own; resolves when it takes jobs. */
export async function startWorker(
  main: keyof typeof mains,
  env: Record<string, string>,
): Promise<WorkerProcess> {
  const fromSources = main === 'shipped' ? [] : ['--conditions=fairlane-source', '--import=tsx'];
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...fromSources, mains[main]], {
    env: { PATH, HOME, LOG_LEVEL: 'info', ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child, 'spawn');
  const guard = startGuard(child.pid ?? 0);
  child.once('exit', () => guard.kill('SIGKILL'));
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) =>
    lines.push(JSON.parse(line) as Record<string, unknown>),
  );
  const exit = exitOf(child);
  const readyLine = () => lines.find(({ ready }) => ready === 'worker');
  await expect
    .poll(() => readyLine() ?? child.exitCode, { timeout: START_PATIENCE_MS, interval: 20 })
    .not.toBeNull();
  const ready = readyLine();
  if (!ready) throw new Error(`the worker ended at its start: ${JSON.stringify(lines.at(-1))}`);
  const health = String(ready['health']);
  return {
    pid: Number(ready['pid']),
    health,
    lines: () => lines,
    signal: (signal) => child.kill(signal),
    exit,
    async check(path) {
      const response = await fetch(health + path);
      const { checks } = (await response.json()) as { checks: Record<string, string> };
      return { status: response.status, checks };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

async function exitOf(child: ChildProcess): Promise<number | string> {
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return signal ?? code ?? 'unknown';
}

/** Runs the shipped worker until it ends on its own. */
export async function runToEnd(
  env: Record<string, string>,
): Promise<{ code: number | string; stdout: string; stderr: string }> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [mains.shipped], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  return { code: await exitOf(child), stdout, stderr };
}
