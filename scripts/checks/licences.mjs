import { join } from 'node:path';

import { ensurePnpm } from '../bootstrap/pnpm.mjs';
import { run } from '../bootstrap/run.mjs';
import { Problem, say } from '../bootstrap/say.mjs';

/** Under these anything may be used: they ask for a notice at most. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
  '(MIT AND Zlib)',
  '(MIT OR CC0-1.0)',
]);

/** Used to develop, test or build, and part of nothing that is shipped. */
const DEVELOPMENT_ONLY = [
  'MPL-2.0 axe-core',
  'MPL-2.0 lightningcss',
  'CC-BY-3.0 spdx-exceptions',
  'PSF-2.0 argparse',
  'Python-2.0 argparse',
  // MIT by their readmes; their manifests do not say so.
  'Unknown humanize-number',
  'Unknown only',
];

/** What the apps run with and what goes to the registry, without the packages that only tests use. */
const SHIPPED = ['{./apps/*}...', '@fairlane/lanes...', '@fairlane/sdk...'];

/**
 * Says each dependency, installed here, whose licence is not allowed. Pages of the console are built from development
 * dependencies: what is bundled must have no exception.
 * @returns {Promise<boolean>} whether there is none
 */
export async function checkLicences() {
  const shipped = await listed('--prod', ...SHIPPED.map((each) => `--filter-prod=${each}`));
  const inDevelopment = (await listed()).filter((each) => !isException(each));
  const refused = new Set([...shipped, ...inDevelopment]);
  for (const each of refused) say(`licence not allowed: ${each}`);
  return refused.size === 0;
}

/** Binaries of a package for one platform are packages of their own. @param {string} each */
function isException(each) {
  return DEVELOPMENT_ONLY.some((allowed) => each === allowed || each.startsWith(`${allowed}-`));
}

/**
 * Licence and name of what pnpm has installed and is not allowed everywhere.
 * @param {string[]} args
 */
async function listed(...args) {
  const bin = await ensurePnpm();
  const command = [...args, 'licenses', 'list', '--json'];
  const { ok, output } = await run(join(bin, 'pnpm'), command, { output: 'capture' });
  if (!ok) throw new Problem(`pnpm could not list the licences\n${output}`);
  /** @type {Record<string, { name: string }[]>} */
  const byLicence = JSON.parse(output);
  if (!('MIT' in byLicence)) throw new Problem(`pnpm listed no licences for ${command.join(' ')}`);
  return Object.entries(byLicence).flatMap(([licence, packages]) =>
    ALLOWED.has(licence) ? [] : packages.map(({ name }) => `${licence} ${name}`),
  );
}
