import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { describe, expect, it } from 'vitest';

import { isAlive, untilGone } from '../servers/liveness.js';
import { PATIENCE_MS } from '../vitest/index.js';
import { startSandbox } from './start-sandbox.js';

const startSandboxModule = new URL('start-sandbox.ts', import.meta.url).href;

/** A parent of its own, since the point is what happens when it dies without a word. */
async function sandboxOfDeadParent({ released }: { released: boolean }) {
  const program = `
    const { startSandbox } = await import(${JSON.stringify(startSandboxModule)});
    const sandbox = await startSandbox();
    if (${released}) await sandbox.release();
    process.stdout.write(JSON.stringify({ pid: sandbox.pid, url: sandbox.url }));
    process.stdin.resume();
  `;
  const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(parent.stdout, 'data');
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  return JSON.parse(String(line)) as { pid: number; url: string };
}

describe('startSandbox', () => {
  it('starts a process of its own and stops it', async () => {
    const sandbox = await startSandbox({ seed: 7, accounts: 3, kinds: 'mixed', limits: true, faults: false });
    expect(sandbox.pid).not.toBe(process.pid);
    expect(await sandbox.accounts()).toHaveLength(3);
    await sandbox.stop();
    expect(isAlive(sandbox.pid)).toBe(false);
  });

  it('says why it could not start', async () => {
    const occupant = await startSandbox();
    const port = Number(new URL(occupant.url).port);
    await expect(startSandbox({ port })).rejects.toThrow(/ended with 1/);
    await occupant.stop();
  });

  it('dies with its parent', async () => {
    const { pid } = await sandboxOfDeadParent({ released: false });
    await expect(untilGone(pid, PATIENCE_MS)).resolves.toBeUndefined();
  });

  it('outlives its parent when it is released', async () => {
    const { pid, url } = await sandboxOfDeadParent({ released: true });
    expect((await fetch(`${url}/report`)).status).toBe(200);
    process.kill(pid, 'SIGTERM');
    await untilGone(pid, PATIENCE_MS);
  });
});
