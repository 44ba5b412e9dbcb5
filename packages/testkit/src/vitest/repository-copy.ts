import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../../../..');
/** Where tests and type checks of a copy find the other packages: in the sources of the repository itself. */
const CONDITIONS = ['fairlane-source'];
const CONFIGURATION = ['.oxlintrc.json', '.oxfmtrc.json', 'tsconfig.base.json', 'package.json'];

/** What a program said and how it ended. */
export interface ProgramEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Parts of the repository in a folder of their own, beside links to everything installed. */
export interface RepositoryCopy {
  readonly root: string;
  /** Runs a tool of the workspace, by its path below `node_modules`. Its standard input is empty. */
  tool(program: string, ...args: string[]): Promise<ProgramEnd>;
  /** Runs Node the same way. */
  node(...args: string[]): Promise<ProgramEnd>;
  /** Checks the types of these files and folders, tests included; what the compiler says, nothing if all is well. */
  typeErrors(...include: string[]): Promise<string>;
  remove(): void;
}

/** @param folders packages and folders to copy, such as `packages/jobs`; tests may change them. */
export function copyRepository(...folders: readonly string[]): RepositoryCopy {
  const root = mkdtempSync(join(tmpdir(), 'fairlane-copy-'));
  for (const path of [...CONFIGURATION, ...folders]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(ROOT, path), join(root, path), { recursive: true, filter: isSource });
  }
  for (const path of ['.', ...folders]) {
    const installed = join(ROOT, path, 'node_modules');
    if (existsSync(installed)) symlinkSync(installed, join(root, path, 'node_modules'));
  }
  const vitest = { resolve: { conditions: CONDITIONS }, ssr: { resolve: { conditions: CONDITIONS } } };
  writeFileSync(join(root, 'vitest.config.ts'), `export default ${JSON.stringify(vitest)};\n`);

  const node = async (...args: string[]) => run(root, args);
  const tool = async (program: string, ...args: string[]) =>
    node(join(root, 'node_modules', program), ...args);
  return {
    root,
    node,
    tool,
    async typeErrors(...include) {
      const compilerOptions = {
        composite: false,
        incremental: false,
        declaration: false,
        declarationMap: false,
        noEmit: true,
        customConditions: CONDITIONS,
      };
      const project = join(root, 'tsconfig.copy.json');
      writeFileSync(project, JSON.stringify({ extends: './tsconfig.base.json', compilerOptions, include }));
      return (await tool('typescript/bin/tsc', '-p', project)).stdout;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function isSource(path: string): boolean {
  return !['node_modules', 'dist'].includes(basename(path));
}

async function run(cwd: string, args: readonly string[]): Promise<ProgramEnd> {
  const running = promisify(execFile)(process.execPath, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1' },
  });
  running.child.stdin?.end();
  try {
    return { code: 0, ...(await running) };
  } catch (error) {
    const { code, stdout, stderr } = error as ProgramEnd;
    return { code, stdout, stderr };
  }
}
