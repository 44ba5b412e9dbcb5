import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../bootstrap/paths.mjs';
import { commandsOf, type Command } from './commands.mjs';
import { pathExists, routeExists, testsExist } from './known.js';
import { pages } from './pages.mjs';

const execute = promisify(execFile);
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as { scripts: object; packageManager: string };

/** Where the flags of a program are declared. */
const DECLARATIONS: Record<string, readonly string[]> = {
  demo: ['packages/testkit/src/demo/options.ts', 'packages/testkit/src/command/arguments.ts'],
  start: ['packages/testkit/src/start/options.ts', 'packages/testkit/src/command/arguments.ts'],
  bench: ['packages/bench/src/options.ts'],
  'new:job': readdirSync(join(ROOT, 'scripts/new-job')).map((file) => `scripts/new-job/${file}`),
  'packages/testkit/dist/sandbox/main.js': ['packages/testkit/src/sandbox/main.ts'],
};

function missingFlags(program: string, words: readonly string[]): string[] {
  const declared = (DECLARATIONS[program] ?? []).map(read).join('\n');
  return words
    .filter(
      (word) => word.startsWith('--') && word !== '--' && !new RegExp(`['"\`]${word}\\b`).test(declared),
    )
    .map((flag) => `${program} has no ${flag}`);
}

const PATH = /^[\w.]+(?:\/[\w.-]+)+$/;

function missingPaths(words: readonly string[], exists = pathExists): string[] {
  return words.filter((word) => PATH.test(word) && !exists(word)).map((path) => `${path} is not there`);
}

function npm([verb = '', ...words]: readonly string[]): string[] {
  if (verb === 'install') return [];
  const [script = '', rest] = verb === 'run' ? [words[0], words.slice(1)] : [verb, words];
  if (!(script in manifest.scripts)) return [`package.json has no script ${script}`];
  return [
    ...(script in DECLARATIONS ? missingFlags(script, rest) : []),
    ...missingPaths(rest, script.startsWith('test') ? testsExist : pathExists),
  ];
}

function npx([program = '', ...words]: readonly string[]): string[] {
  if (program.startsWith('pnpm@'))
    return manifest.packageManager.startsWith(`${program}+`) ? [] : [`not ${program}`];
  const known = existsSync(join(ROOT, 'node_modules/.bin', program));
  return [...(known ? [] : [`${program} is not installed`]), ...missingPaths(words)];
}

function node([file = '', ...words]: readonly string[]): string[] {
  if (file.startsWith('-')) return [];
  return [...missingPaths([file, ...words]), ...(file in DECLARATIONS ? missingFlags(file, words) : [])];
}

function docker(words: readonly string[]): string[] {
  const [, services = ''] = /^services:\n([^]*?)^\S/m.exec(read('docker-compose.yml')) ?? [];
  const isService = (word: string) =>
    services.includes(`\n  ${word}:\n`) || services.startsWith(`  ${word}:\n`);
  return words.includes('run') && !words.some(isService) ? ['the compose file has no such service'] : [];
}

function curl(words: readonly string[]): string[] {
  const [, path] = /(\/v1\/[^?\s]*)/.exec(words.find((word) => word.includes('/v1/')) ?? '') ?? [];
  if (path === undefined) return [];
  const [given = words.includes('-d') ? 'POST' : 'GET'] = words.slice(
    words.indexOf('-X') + 1 || words.length,
  );
  const method = given.toLowerCase();
  return routeExists(method, path) ? [] : [`the API has no ${method} ${path}`];
}

/** Of the machine: what they are given says nothing of this repository. */
const SYSTEM = 'cd cp git mkdir pg_dump pg_restore redis-cli redis-server rm until'.split(' ');

const CHECKS: Record<string, (words: readonly string[]) => string[]> = {
  npm,
  npx,
  node,
  docker,
  curl,
  promtool: (words) => missingPaths(words),
  ...Object.fromEntries(SYSTEM.map((program) => [program, () => []])),
};

function problems({ line, words: [program = '', ...words] }: Command): string[] {
  const check = CHECKS[program];
  return (check === undefined ? ['no such program is expected'] : check(words)).map(
    (problem) => `${line}: ${problem}`,
  );
}

describe('the commands that pages name', () => {
  it.each(pages().map((page) => [page.path, page] as const))('of %s can be given', (_path, page) => {
    expect(commandsOf(page).flatMap(problems)).toEqual([]);
  });

  it('make the hash of a password for the board', async () => {
    const [command] = pages()
      .flatMap(commandsOf)
      .filter(({ line }) => line.includes('hashPassword'));
    const { stdout } = await execute(process.execPath, command!.words.slice(1), {
      cwd: join(ROOT, 'apps/board'),
    });
    expect(stdout).toMatch(/^\S{40,}\n$/);
  });
});
