import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { withLock } from '../bootstrap/lock.mjs';
import { ROOT, STATE_DIR } from '../bootstrap/paths.mjs';
import { ensurePnpm } from '../bootstrap/pnpm.mjs';
import { run } from '../bootstrap/run.mjs';
import { Problem, say } from '../bootstrap/say.mjs';

/** What goes to the registry, each usable without the rest of this repository. */
export const PUBLISHED = /** @type {const} */ (['lanes', 'sdk']);

/** @typedef {typeof PUBLISHED[number]} Published */

/**
 * Packs a package as a release would, from its `dist`; pnpm, since it puts versions in the place of `catalog:`.
 * @param {Published} name
 * @param {string} folder an empty one
 * @returns {Promise<string>} path of the tarball
 */
export async function pack(name, folder) {
  const bin = await withLock(join(STATE_DIR, 'lock'), say, ensurePnpm);
  const cwd = join(ROOT, 'packages', name);
  const { ok, output } = await run(join(bin, 'pnpm'), ['pack', '--pack-destination', folder], {
    cwd,
    output: 'capture',
  });
  const [tarball] = readdirSync(folder).filter((file) => file.startsWith(`fairlane-${name}-`));
  if (!ok || tarball === undefined) throw new Problem(`packages/${name} could not be packed\n${output}`);
  return join(folder, tarball);
}
