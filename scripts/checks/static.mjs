import { join } from 'node:path';

import { lintLua } from '../bootstrap/lua.mjs';
import { ROOT } from '../bootstrap/paths.mjs';
import { run } from '../bootstrap/run.mjs';
import { say } from '../bootstrap/say.mjs';
import { sourceArguments } from '../bootstrap/source.mjs';
import { checkLicences } from './licences.mjs';

/**
 * What can be said of the repository without running it, after a build. Forbidden imports and cycles are the linter's;
 * unused files, exports, dependencies and catalogue entries are "dead code".
 * @type {readonly (readonly [name: string, check: () => Promise<boolean>])[]}
 */
export const STATIC_CHECKS = [
  ['types', () => tool('typescript/bin/tsc', ['-b'])],
  ['types of tests', () => tool('typescript/bin/tsc', ['-p', 'tsconfig.tests.json'])],
  ['types of scripts', () => tool('typescript/bin/tsc', ['-p', 'scripts'])],
  ['lint', () => tool('oxlint/bin/oxlint', ['--type-aware', '--deny-warnings'])],
  ['lua', checkLua],
  ['contracts', checkContracts],
  ['format', () => tool('oxfmt/bin/oxfmt', ['--check', '.'])],
  ['dead code', () => tool('knip/bin/knip.js', ['--treat-config-hints-as-errors'])],
  ['licences', checkLicences],
  ['links', () => tool('remark-cli/cli.js', ['.', ...LINK_OPTIONS])],
];

const LINK_OPTIONS = ['--frail', '--quiet', '--no-stdout', '--rc-path', 'scripts/checks/remark.config.mjs'];

/** Whether the jobs still read payloads that their released contracts took. */
async function checkContracts() {
  const { ok } = await run(process.execPath, sourceArguments('scripts/contracts/main.ts', ['check']));
  return ok;
}

/** Where nobody looks at what was left out, nothing may be. */
async function checkLua() {
  const result = await lintLua();
  if (result !== 'missing') return result === 'ok';
  say('the Lua scripts were not checked: install luacheck (Debian package lua-check)');
  return !process.env['CI'];
}

/**
 * @param {string} program below node_modules
 * @param {readonly string[]} args
 */
export async function tool(program, args) {
  const { ok } = await run(process.execPath, [join(ROOT, 'node_modules', program), ...args]);
  return ok;
}
