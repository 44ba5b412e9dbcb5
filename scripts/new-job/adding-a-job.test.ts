import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { urlVariable } from '../../packages/jobs/src/url-jobs.js';
import { copyRepository, type RepositoryCopy } from '../../packages/testkit/src/vitest/index.js';
import { commandsOf } from '../docs/commands.mjs';
import { page, type Page } from '../docs/pages.mjs';
import { newJob } from './new-job.js';

/** A change of a file: "`path`", an empty line, a diff. */
const DIFF = /^`([\w./-]+)`\n\n```diff\n([^]*?)^```$/gm;

const guide = underAnotherName(page('docs/adding-a-job.md'));
let copy: RepositoryCopy;

beforeAll(async () => {
  copy = copyRepository('packages/jobs', 'packages/sdk', 'packages/blobs', 'scripts/lint');
  const command = commandsOf(guide).find(({ words }) => words[2] === 'new:job');
  await newJob(command?.words.slice(4) ?? [], {
    root: copy.root,
    terminal: undefined,
    onWait: () => undefined,
  });
});
afterAll(() => copy.remove());

/** Whoever has followed the page has its job already. */
function underAnotherName({ path, text }: Page): Page {
  const names = [
    ['invoice.remind', 'guide.remind'],
    ['invoice-remind', 'guide-remind'],
    ['INVOICE_REMIND', 'GUIDE_REMIND'],
  ] as const;
  return { path, text: names.reduce((all, [name, other]) => all.replaceAll(name, other), text) };
}

/** Applies a diff whose parts are set apart by lines of `@@`. */
function apply(path: string, diff: string): void {
  const file = join(copy.root, path);
  const parts = diff.split(/^@@.*\n/m);
  writeFileSync(
    file,
    parts.reduce((text, part) => replaced(path, text, part), readFileSync(file, 'utf8')),
  );
}

/** Replaces the lines that a part of a diff shows as they were by those it shows as they shall be. */
function replaced(path: string, source: string, part: string): string {
  const lines = part.split('\n');
  const side = (own: string) =>
    lines
      .filter((line) => line.startsWith(' ') || line.startsWith(own))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const before = side('-');
  if (!source.includes(before)) throw new Error(`the page's diff of ${path} does not fit the file:\n${part}`);
  return source.replace(before, () => side('+'));
}

// Compilers and linters are slow on a busy machine.
describe('docs/adding-a-job.md', { timeout: 120_000 }, () => {
  it('changes files that the command has written', () => {
    const diffs = [...guide.text.matchAll(DIFF)].map(([, path = '', diff = '']) => ({ path, diff }));
    expect(diffs.map(({ path }) => path)).toEqual(
      ['contract.ts', 'handler.ts', 'handler.test.ts'].map(
        (name) => `packages/jobs/src/guide-remind/${name}`,
      ),
    );
    for (const { path, diff } of diffs) apply(path, diff);
    expect(guide.text).toContain(urlVariable('guide.remind'));
    expect(urlVariable('invoice.remind')).toBe('JOB_INVOICE_REMIND_URL');
  });

  it('leads to a job that compiles, by the rules and in the format of the repository', async () => {
    expect(await copy.typeErrors('packages/jobs/src/guide-remind', 'packages/jobs/src/index.ts')).toBe('');
    const folder = 'packages/jobs/src/guide-remind';
    expect(await copy.tool('oxlint/bin/oxlint', '--deny-warnings', folder)).toMatchObject({ code: 0 });
    expect(await copy.tool('oxfmt/bin/oxfmt', '--check', folder)).toMatchObject({ code: 0 });
  });

  it('leads to a job whose test passes, in the catalogue with the others', async () => {
    const filter = ['guide-remind', 'src/contracts'];
    const { stdout } = await copy.tool('vitest/vitest.mjs', 'run', ...filter, '--reporter=json');
    const report = JSON.parse(stdout) as { numPassedTests: number; testResults: { status: string }[] };
    expect(report.testResults.map(({ status }) => status)).toEqual(['passed', 'passed']);
    expect(report.numPassedTests).toBeGreaterThan(15);
  });
});
