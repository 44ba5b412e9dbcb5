import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { networkProblem, RETRY_ENV } from './network.mjs';
import { LOG_DIR, ROOT, TOOLS_DIR } from './paths.mjs';
import { run } from './run.mjs';
import { Problem, say } from './say.mjs';

/**
 * The folder with pnpm's programs, of exactly the version and content that "packageManager" names.
 * Installed beside the clone instead of through corepack (absent or disabled on many machines) or the
 * npx cache (an interrupted download there breaks every later run); the last step is a rename, so the
 * folder is whole or missing.
 */
export async function ensurePnpm() {
  const { version, sha512 } = pinned();
  const folder = join(TOOLS_DIR, `pnpm-${version}`);
  const bin = join(folder, 'node_modules', '.bin');
  if (isComplete(folder, sha512)) return bin;

  say(`fetching pnpm ${version}`);
  mkdirSync(TOOLS_DIR, { recursive: true });
  // Only one process at a time comes here, so a draft that exists is left over from an interruption.
  for (const name of readdirSync(TOOLS_DIR)) {
    if (name.startsWith('draft-')) rmSync(join(TOOLS_DIR, name), { recursive: true, force: true });
  }
  const draft = join(TOOLS_DIR, `draft-${process.pid}`);
  mkdirSync(draft);
  const logFile = join(LOG_DIR, 'pnpm.log');
  const args = [
    'install',
    '--prefix',
    draft,
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    `pnpm@${version}`,
  ];
  // In the draft's folder: npm must not take the clone for its project.
  const { ok, output } = await run('npm', args, {
    cwd: draft,
    env: { ...process.env, ...RETRY_ENV },
    output: 'capture',
    logFile,
  });
  if (!ok)
    throw networkProblem(output, logFile) ?? new Problem(`pnpm could not be installed, see ${logFile}`);
  if (!isComplete(draft, sha512)) {
    rmSync(draft, { recursive: true, force: true });
    throw new Problem(
      `pnpm ${version} from the registry is not the content that package.json pins; nothing was installed`,
    );
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
  return bin;
}

function pinned() {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const match = /^pnpm@([\d.]+)\+sha512\.([\da-f]+)$/.exec(manifest.packageManager);
  if (match === null)
    throw new Problem('"packageManager" in package.json must have the form pnpm@VERSION+sha512.HEX');
  const [, version = '', sha512 = ''] = match;
  return { version, sha512 };
}

/**
 * npm checks what it unpacks against the registry's hash and notes that hash here; it has to be ours.
 * @param {string} folder
 * @param {string} sha512
 */
function isComplete(folder, sha512) {
  try {
    const lock = JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'));
    const integrity = String(lock.packages['node_modules/pnpm'].integrity);
    return Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') === sha512;
  } catch {
    return false;
  }
}
