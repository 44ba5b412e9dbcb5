import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** What a tool of the workspace prints, also when it fails. */
async function outputOf(tool: string, ...args: string[]): Promise<string> {
  const program = join(root, 'node_modules', tool);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
      env: { ...process.env, NO_COLOR: '1' },
    });
    return stdout;
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

const root = join(import.meta.dirname, '../../..');

/** A file of the page: written as a whole, or changed by a diff. */
interface Block {
  readonly path: string;
  readonly kind: 'ts' | 'diff';
  readonly text: string;
}

/** "`path`", an empty line, a fence. */
const BLOCK = /^`([\w./-]+)`\n\n```(ts|diff)\n([^]*?)^```$/gm;

let copy: string;
let blocks: Block[];

beforeAll(async () => {
  const page = await readFile(join(root, 'docs/adding-a-job.md'), 'utf8');
  blocks = [...page.matchAll(BLOCK)].map(([, path = '', kind, text = '']) => ({
    path,
    kind: kind === 'diff' ? 'diff' : 'ts',
    text,
  }));
  copy = await mkdtemp(join(tmpdir(), 'adding-a-job-'));
  await copyWorkspace();
  for (const block of blocks) await follow(block);
});

afterAll(async () => {
  await rm(copy, { recursive: true, force: true });
});

/** The files the page changes, beside links to everything installed. */
async function copyWorkspace(): Promise<void> {
  for (const folder of ['packages/jobs/src', 'packages/jobs/lua']) {
    await cp(join(root, folder), join(copy, folder), { recursive: true });
  }
  for (const file of ['packages/runtime/src/variables.ts', 'apps/worker/src/job-dependencies.ts']) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await cp(join(root, file), join(copy, file));
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await symlink(join(root, 'packages/jobs/node_modules'), join(copy, 'packages/jobs/node_modules'));
  const conditions = ['fairlane-source'];
  await write('packages/jobs/package.json', { type: 'module' });
  await write('packages/jobs/tsconfig.json', {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      composite: false,
      incremental: false,
      declaration: false,
      declarationMap: false,
      noEmit: true,
      customConditions: conditions,
    },
    include: ['src/invoice-remind', 'src/index.ts', 'src/contracts.ts'],
  });
  await writeFile(
    join(copy, 'vitest.config.ts'),
    `export default ${JSON.stringify({ resolve: { conditions }, ssr: { resolve: { conditions } } })};\n`,
  );
}

async function write(path: string, content: object): Promise<void> {
  await writeFile(join(copy, path), JSON.stringify(content));
}

async function follow({ path, kind, text }: Block): Promise<void> {
  const file = join(copy, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, kind === 'ts' ? text : patched(path, await readFile(file, 'utf8'), text));
}

/** A file after a diff, whose parts are set apart by lines of `@@`. */
function patched(path: string, source: string, diff: string): string {
  return diff.split(/^@@.*\n/m).reduce((text, part) => replaced(path, text, part), source);
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

describe('docs/adding-a-job.md', () => {
  it('shows every file that it names', () => {
    expect(blocks.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'ts packages/jobs/src/invoice-remind/contract.ts',
      'ts packages/jobs/src/invoice-remind/handler.ts',
      'ts packages/jobs/src/invoice-remind/handler.test.ts',
      'diff packages/jobs/src/contracts.ts',
      'diff packages/jobs/src/index.ts',
      'diff packages/runtime/src/variables.ts',
      'diff apps/worker/src/job-dependencies.ts',
    ]);
  });

  it('leads to a job that compiles', async () => {
    expect(await outputOf('typescript/bin/tsc', '-p', join(copy, 'packages/jobs'))).toBe('');
  });

  it('leads to a job whose test passes, in the catalogue with the others', async () => {
    const filter = ['invoice-remind', 'contracts'];
    const output = await outputOf(
      'vitest/vitest.mjs',
      'run',
      '--root',
      copy,
      ...filter,
      '--reporter',
      'json',
    );
    const report = JSON.parse(output) as { numPassedTests: number; testResults: { status: string }[] };
    expect(report.testResults.map(({ status }) => status)).toEqual(['passed', 'passed']);
    expect(report.numPassedTests).toBeGreaterThan(4);
  });
});
