import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEAD_CODES, ERROR_CODES } from '../src/index.js';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');

/** First cells of the table under a heading, and the cells beside them. */
function rows(heading: string): string[][] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`docs/errors.md has no section "${heading}"`);
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

const codes = (heading: string) => rows(heading).map(([code]) => code);

/** Sources of all packages as text, so that this page can cover them without the leaf importing them. */
function sources(): string[] {
  return ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => {
      const src = join(root, folder, name, 'src');
      return readdirSync(src, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .map((file) => readFileSync(join(src, file), 'utf8'));
    }),
  );
}

/** `class NameError extends FairlaneError { ... super('code'` */
const THROWN =
  /class (\w+) extends FairlaneError \{(?:(?!\nclass |\nexport class )[^])*?super\(\s*'([a-z_]+)'/g;
/** `  code: { status: 404, title:` in the API's table of problems */
const PROBLEM = /^ {2}([a-z_]+): \{ status: (\d{3}), title:/gm;

/** Of a row `code ClassName`. */
function unclassified(row: string): boolean {
  return ERROR_CODES.every((code) => !row.startsWith(`${code} `));
}

describe('docs/errors.md', () => {
  it('has one row for each code of a classified error', () => {
    expect(codes('Codes of a classified error')).toEqual([...ERROR_CODES]);
  });

  it('has one row for each dead code', () => {
    expect(codes('Dead codes')).toEqual([...DEAD_CODES]);
  });

  it('has one row for each error class that packages throw, unless its code is in the first table', () => {
    const thrown = sources().flatMap((text) =>
      [...text.matchAll(THROWN)].map(([, name, code]) => `${code} ${name}`),
    );
    const documented = rows('Errors thrown by packages').map(([code, name]) => `${code} ${name}`);
    expect(documented.filter(unclassified).toSorted()).toEqual(
      [...new Set(thrown.filter(unclassified))].toSorted(),
    );
  });

  it('has one row for each problem the HTTP API answers with', () => {
    const text = readFileSync(join(root, 'apps/api/src/http/problems.ts'), 'utf8');
    const problems = [...text.matchAll(PROBLEM)].map(([, code, status]) => [code, status]);
    expect(problems.length).toBeGreaterThan(0);
    expect(rows('Answers of the HTTP API').map(([code, status]) => [code, status])).toEqual(problems);
  });
});
