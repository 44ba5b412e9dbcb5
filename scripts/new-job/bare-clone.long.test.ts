import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { temporaryFolder } from '../../packages/testkit/src/vitest/index.js';
import { ROOT } from '../bootstrap/paths.mjs';

const execute = promisify(execFile);
const REST = ['--queue', 'bulk', '--account', 'accountId', '--key', 'invoiceId'];

describe('npm run new:job in a bare clone', () => {
  it('installs what is missing and makes a job whose test passes', async () => {
    const folder = temporaryFolder();
    await execute('git', ['clone', '--quiet', '--no-hardlinks', ROOT, folder]);
    const { stdout } = await execute('npm', ['run', 'new:job', '--', 'trial.charge', ...REST], {
      cwd: folder,
    });
    expect(stdout).toContain('packages/jobs/src/trial-charge/handler.ts\n');
    const tests = await execute('npx', ['vitest', 'run', 'trial-charge'], { cwd: folder });
    expect(tests.stdout).toContain('1 passed');
  });
});
