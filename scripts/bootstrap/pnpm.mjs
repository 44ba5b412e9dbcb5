import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT, TOOLS_DIR } from './paths.mjs';
import { Problem, say } from './say.mjs';
import { installTool } from './tools.mjs';

/**
 * The folder with pnpm's programs, of exactly the version and content that "packageManager" names.
 * Not through corepack, which is absent or disabled on many machines.
 */
export async function ensurePnpm() {
  const { version, sha512 } = pinned();
  const folder = join(TOOLS_DIR, `pnpm-${version}`);
  if (!isComplete(folder, sha512)) {
    say(`fetching pnpm ${version}`);
    await installTool(folder, `pnpm@${version}`, ['--ignore-scripts'], (draft) =>
      isComplete(draft, sha512) ? undefined : 'is not the content that package.json pins',
    );
  }
  return join(folder, 'node_modules', '.bin');
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
