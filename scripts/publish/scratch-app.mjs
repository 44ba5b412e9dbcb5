import { cpSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { ROOT } from '../bootstrap/paths.mjs';
import { run } from '../bootstrap/run.mjs';
import { Problem } from '../bootstrap/say.mjs';

const SCRATCH = join(ROOT, 'scripts', 'publish', 'scratch');

/**
 * Makes an application outside the repository that has a package from its tarball, put there by npm. What the package
 * needs is linked from the installation that is here already, so nothing is fetched.
 * @param {import('./packed.mjs').Published} name
 * @param {string} tarball
 * @param {string} folder an empty one
 */
export async function makeScratchApp(name, tarball, folder) {
  const manifest = readManifest(join(ROOT, 'packages', name));
  /** @param {object} [needed] */
  const links = (needed = {}) =>
    Object.fromEntries(Object.keys(needed).map((each) => [each, linkTo(join('packages', name), each)]));
  const app = {
    name: 'scratch',
    private: true,
    type: 'module',
    dependencies: {
      [manifest.name]: `file:${tarball}`,
      ...links(manifest.peerDependencies),
    },
    devDependencies: { '@types/node': linkTo('.', '@types/node') },
    overrides: links(manifest.dependencies),
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(app, undefined, 2));
  cpSync(join(SCRATCH, name), folder, { recursive: true });
  cpSync(join(SCRATCH, 'tsconfig.json'), join(folder, 'tsconfig.json'));
  const args = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--cache'];
  const { ok, output } = await run('npm', [...args, join(folder, '.npm')], {
    cwd: folder,
    output: 'capture',
  });
  if (!ok) throw new Problem(`npm could not install ${basename(tarball)}\n${output}`);
}

/** @param {string} folder @returns {{ name: string, dependencies?: object, peerDependencies?: object }} */
function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** @param {string} folder of the workspace @param {string} name */
function linkTo(folder, name) {
  return `file:${realpathSync(join(ROOT, folder, 'node_modules', name))}`;
}
