import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { copyRepository, type RepositoryCopy } from '../../packages/testkit/src/vitest/index.js';

let copy: RepositoryCopy;
let src: string;

beforeAll(() => {
  copy = copyRepository('packages/jobs', 'packages/sdk', 'packages/blobs', 'scripts');
  src = join(copy.root, 'packages/jobs/src');
});
afterAll(() => copy.remove());

async function newJob(...args: string[]) {
  const loader = join(copy.root, 'node_modules/tsx/dist/loader.mjs');
  const main = join(copy.root, 'scripts/new-job/main.ts');
  return copy.node('--conditions=fairlane-source', '--import', loader, main, ...args);
}

const read = (path: string) => readFileSync(join(src, path), 'utf8');
const REST = ['--queue', 'bulk', '--account', 'accountId', '--key', 'invoiceId'];

// Names of jobs that nobody makes: whoever makes one is not to find these tests red.
// Compilers and linters are slow on a busy machine.
describe('npm run new:job', { timeout: 120_000 }, () => {
  it('writes contract, handler and test and registers the job', async () => {
    const made = await newJob('trial.charge', ...REST);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout.split('\n\n')[0]?.split('\n')).toEqual(
      [
        'trial-charge/contract.ts',
        'trial-charge/handler.ts',
        'trial-charge/handler.test.ts',
        'contracts.ts',
        'url-jobs.ts',
      ].map((path) => `packages/jobs/src/${path}`),
    );
    expect(read('trial-charge/contract.ts')).toContain(`  account: (p) => p.accountId,
  key: (p) => p.invoiceId,
  queue: 'bulk',
});`);
    expect(readdirSync(src).filter((name) => name.includes('draft'))).toEqual([]);
  });

  it('takes the longest name there is, keys of several fields and a limit group', async () => {
    const name = `trial.${'reconcile-'.repeat(5)}all`;
    const fields = ['--queue', 'analytics', '--account', 'tenant', '--key', 'ledgerId, month'];
    expect(await newJob(name, ...fields, '--limit-group', 'crm')).toMatchObject({ code: 0, stderr: '' });
    expect(read(`${name.replace('.', '-')}/contract.ts`)).toContain(`  account: (p) => p.tenant,
  key: (p) => [p.ledgerId, p.month],
  limitGroup: 'crm',
  queue: 'analytics',
});`);
  });

  it('leads to code that compiles, in the format and by the rules of the repository', async () => {
    const made = ['trial-charge', 'contracts.ts', 'url-jobs.ts'].map((path) => `packages/jobs/src/${path}`);
    expect(await copy.typeErrors(...made)).toBe('');
    const lint = await copy.tool('oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...made);
    expect(lint).toMatchObject({ code: 0, stdout: expect.stringContaining('Found 0 warnings and 0 errors') });
    expect(await copy.tool('oxfmt/bin/oxfmt', '--check', ...made)).toMatchObject({ code: 0 });
  });

  it('leads to tests that pass, and to a catalogue with an implementation of every job', async () => {
    const tests = ['trial-charge', 'trial-reconcile', 'src/contracts.test'];
    const { stdout } = await copy.tool('vitest/vitest.mjs', 'run', '--reporter=json', ...tests);
    const report = JSON.parse(stdout) as { testResults: { status: string }[] };
    expect(report.testResults.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed']);
  });

  it('says in one line which answers are missing where nobody can be asked', async () => {
    expect(await newJob('trial.email', '--account', 'a')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^fairlane: missing: --queue, --key, and there is no terminal[^\n]*\n$/),
    });
  });

  it('says so when the jobs that are there do not load', async () => {
    const broken = join(src, 'outreach-send/contract.ts');
    const sound = readFileSync(broken, 'utf8');
    writeFileSync(broken, sound.replace("queue: 'outreach'", "queue: 'nowhere'"));
    const refused = await newJob('trial.email', ...REST);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('queue nowhere is not declared'),
    });
    expect(existsSync(join(src, 'trial-email'))).toBe(false);
    writeFileSync(broken, sound);
  });
});
