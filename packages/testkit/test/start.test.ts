import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import type { DeploymentDescription } from '../src/deployment/deployment.js';
import { temporaryFolder } from '../src/vitest/index.js';
import { isAlive } from '../src/servers/liveness.js';

// The program as it is shipped: `npm test` has built it.
const program = fileURLToPath(new URL('../dist/start/main.js', import.meta.url));

interface Started {
  child: ChildProcess;
  closed: Promise<unknown[]>;
  output: () => string;
  description: DeploymentDescription;
  mode: number;
}

async function start(...args: string[]): Promise<Started> {
  const json = join(temporaryFolder(), 'start.json');
  const child = spawn(process.execPath, [program, '--ephemeral', '--json', json, ...args]);
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  child.stderr.on('data', (data) => (output += String(data)));
  const closed = once(child, 'close');
  onTestFinished(() => void child.kill('SIGKILL'));
  const ready = vi.waitFor(() => access(json), { timeout: 60_000, interval: 100 });
  const early = closed.then(() => Promise.reject(new Error(`it ended before it was ready:\n${output}`)));
  await Promise.race([ready, early]);
  return {
    child,
    closed,
    output: () => output,
    description: JSON.parse(await readFile(json, 'utf8')) as DeploymentDescription,
    mode: (await stat(json)).mode & 0o777,
  };
}

async function status(url: string): Promise<number> {
  return (await fetch(url, { redirect: 'manual' })).status;
}

describe('npm start', { timeout: 120_000 }, () => {
  it('describes everything it runs in a private file, and Ctrl-C stops all of it', async () => {
    const { child, closed, description, mode, output } = await start('--workers', '2');
    expect(mode).toBe(0o600);
    const { api, board, sandbox, workers, tokens, boardUsers } = description;
    expect(Object.keys(tokens)).toEqual(['producer', 'viewer', 'limits', 'operator']);
    expect(Object.keys(boardUsers)).toEqual(['viewer', 'operator']);
    expect(workers).toHaveLength(2);

    expect(await status(`${api}/readyz`)).toBe(200);
    // A message of any other account is refused there, and its job dead: whoever tries one is told which there are.
    expect(output()).toContain(`for the accounts of ${sandbox}/accounts)`);
    expect(await status(`${sandbox}/accounts`)).toBe(200);
    expect(await status(board)).not.toBe(200);
    for (const { health, metrics } of workers) {
      expect(await status(health)).toBe(200);
      expect(await status(metrics)).toBe(200);
    }

    child.kill('SIGINT');
    expect((await closed)[0]).toBe(0);
    expect(workers.map(({ pid }) => isAlive(pid))).toEqual([false, false]);
    await expect(fetch(`${api}/readyz`)).rejects.toThrow('fetch failed');
    await expect(fetch(`${sandbox}/accounts`)).rejects.toThrow('fetch failed');
    const [, logs = ''] = /^logs +(.*)$/m.exec(output()) ?? [];
    await expect(access(logs)).rejects.toThrow('ENOENT');
  });

  it('ends with one message when a service ends by itself', async () => {
    const { closed, description, output } = await start('--workers', '1');
    process.kill(description.workers[0]?.pid ?? 0, 'SIGKILL');
    expect((await closed)[0]).toBe(1);
    expect(output()).toMatch(/fairlane: worker-1 ended unexpectedly, see .*worker-1\.log/);
  });
});
