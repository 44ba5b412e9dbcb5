import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../packages/testkit/src/vitest/temporary-folder.js';
import { workspaces } from '../bootstrap/fingerprint.mjs';
import { ROOT } from '../bootstrap/paths.mjs';

const execute = promisify(execFile);

/** What each member of the workspace may import of the others: the table of docs/architecture.md. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  sdk: [],
  lanes: [],
  ledger: ['sdk'],
  blobs: ['sdk'],
  queue: ['sdk', 'lanes', 'ledger', 'blobs'],
  jobs: ['sdk', 'blobs'],
  runtime: [],
  console: [],
  testkit: [],
  api: ['sdk', 'queue', 'jobs', 'runtime', 'ledger', 'lanes', 'blobs'],
  worker: ['sdk', 'queue', 'jobs', 'runtime', 'ledger', 'lanes', 'blobs'],
  board: ['sdk', 'queue', 'jobs', 'runtime', 'ledger', 'lanes'],
};

/** Libraries that few may import. Benchmarks compare against them. */
const LIBRARIES: Record<string, readonly string[]> = {
  bullmq: ['lanes', 'queue', 'bench'],
  '@bull-board/api': ['board'],
  express: ['api', 'board', 'bench'],
};

interface Manifest {
  readonly name: string;
  readonly dependencies?: Record<string, string>;
}

const members = workspaces(ROOT).map((folder) => ({
  name: basename(folder),
  folder: relative(ROOT, folder),
  manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest,
}));

function isAllowed(importer: string, imported: string): boolean {
  if (imported in LIBRARIES) return LIBRARIES[imported]!.includes(importer);
  return importer === 'bench' || MAY_IMPORT[importer]!.includes(imported.replace('@fairlane/', ''));
}

/** All that the rules speak of, but for the importer itself. */
function candidates(importer: string): string[] {
  const others = members.filter(({ name }) => name !== importer).map(({ manifest }) => manifest.name);
  // The console exports files, no module.
  return [...others.filter((name) => name !== '@fairlane/console'), ...Object.keys(LIBRARIES)];
}

/** Lints a file of each member that imports each candidate, by the rules as they are. */
async function refusedByLint(): Promise<Set<string>> {
  const root = temporaryFolder();
  copyFileSync(join(ROOT, '.oxlintrc.json'), join(root, '.oxlintrc.json'));
  // Rules of our own are modules there.
  symlinkSync(join(ROOT, 'scripts'), join(root, 'scripts'));
  for (const { name, folder } of members) {
    const file = join(root, folder, 'src', 'importing.ts');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      candidates(name)
        .map((each) => `import '${each}';\n`)
        .join(''),
    );
  }
  const args = [join(ROOT, 'node_modules/oxlint/bin/oxlint'), '--format=unix', 'packages', 'apps'];
  const { stdout } = await execute(process.execPath, args, { cwd: root }).catch(
    (error: { stdout: string }) => error,
  );
  const found = [
    ...stdout.matchAll(/^(?:\.\/)?\w+\/(\w+)\/src\/importing\.ts:(\d+):.*no-restricted-imports/gm),
  ];
  return new Set(found.map(([, name = '', line]) => `${name} -> ${candidates(name)[Number(line) - 1]}`));
}

describe('imports run in one direction', () => {
  it('by the linter, which refuses every other', async () => {
    const refused = members.flatMap(({ name }) =>
      candidates(name)
        .filter((each) => !isAllowed(name, each))
        .map((each) => `${name} -> ${each}`),
    );
    expect([...(await refusedByLint())].toSorted()).toEqual(refused.toSorted());
  });

  it('by the manifests, which also bind what is imported at run time', () => {
    const forbidden = members.flatMap(({ name, manifest }) =>
      candidates(name)
        .filter((each) => each in (manifest.dependencies ?? {}) && !isAllowed(name, each))
        .map((each) => `${name} -> ${each}`),
    );
    expect(forbidden).toEqual([]);
  });
});
