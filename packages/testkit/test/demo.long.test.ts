import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { temporaryFolder } from '../src/vitest/index.js';
import type { Summary } from '../src/demo/summary.js';

const program = fileURLToPath(new URL('../dist/demo/main.js', import.meta.url));

async function demo(...args: string[]): Promise<{ exitCode: number; summary: Summary }> {
  const json = join(temporaryFolder(), 'out.json');
  const child = spawn(process.execPath, [program, ...args, '--json', json], { stdio: 'ignore' });
  const [exitCode] = (await once(child, 'close')) as [number];
  return { exitCode, summary: JSON.parse(await readFile(json, 'utf8')) as Summary };
}

describe('the demo at full size', () => {
  it.each([1, 2, 3])(
    'seed %i: 3000 jobs, a worker killed 12 times, nothing lost or repeated (R1, R2)',
    async (seed) => {
      const run = await demo('--jobs', '3000', '--workers', '3', '--kill', '12', '--seed', String(seed));
      expect(run).toMatchObject({
        exitCode: 0,
        summary: { accepted: 3_000, lost: 0, workersKilled: 12, effects: { repeated: 0 } },
      });
    },
  );

  it('20,000 jobs of 500 accounts', async () => {
    const run = await demo('--jobs', '20000', '--accounts', '500', '--workers', '2');
    expect(run).toMatchObject({ exitCode: 0, summary: { accepted: 20_000, accounts: 500, lost: 0 } });
  });
});
