import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { ROOT } from './paths.mjs';

const DEMO = ['run', 'demo', '--', '--jobs', '50', '--accounts', '3'];

/** What is committed, in an empty folder: as a stranger gets it. */
function freshClone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fairlane-clone-'));
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, folder]);
  onTestFinished(() => {
    execFileSync('rm', ['-rf', folder]);
  });
  return folder;
}

function npm(folder: string, args: readonly string[]) {
  // A process group of its own, as a terminal gives it, which gets Ctrl-C as a whole.
  const child = spawn('npm', args, { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  child.stderr.on('data', (data) => (output += String(data)));
  return { child, closed: once(child, 'close'), output: () => output };
}

/** Processes that were started from the folder: their command line or working directory is below it. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });
}

describe.runIf(process.platform === 'linux')('a fresh clone', () => {
  it('interrupted again and again at any point, leaves no process and then works', async () => {
    const folder = freshClone();
    for (const afterMs of [300, 800, 1_500, 2_500, 4_000, 6_000, 9_000, 12_000, 15_000]) {
      const { child, closed } = npm(folder, DEMO);
      await Promise.race([delay(afterMs), closed]);
      const group = -(child.pid ?? 0);
      if (child.exitCode === null) process.kill(group, afterMs % 1_000 === 0 ? 'SIGINT' : 'SIGKILL');
      await closed;
      await vi.waitFor(() => expect(processesOf(folder)).toEqual([]), 15_000);
    }
    const { child, closed, output } = npm(folder, DEMO);
    await closed;
    expect({ exitCode: child.exitCode, output: output() }).toMatchObject({ exitCode: 0 });
    expect(processesOf(folder)).toEqual([]);
  });

  it('two commands at once prepare it once and both work', async () => {
    const folder = freshClone();
    const runs = [npm(folder, DEMO), npm(folder, DEMO)];
    await Promise.all(runs.map(({ closed }) => closed));
    expect(runs.map(({ child }) => child.exitCode)).toEqual([0, 0]);
    const installs = runs.filter(({ output }) => output().includes('installing dependencies'));
    expect(installs).toHaveLength(1);
  });
});
