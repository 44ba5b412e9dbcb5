import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { canInstallDebianPackages, installDebianPackage } from './debian.mjs';
import { ROOT, STATE_DIR } from './paths.mjs';
import { findProgram } from './programs.mjs';
import { run } from './run.mjs';
import { Problem, say } from './say.mjs';

const PACKAGES = join(ROOT, 'packages');
const OUTPUT = join(STATE_DIR, 'lua');

/**
 * Runs luacheck over every Lua script in the form that Redis gets it, since names come from includes
 * and from the text around. Needs the packages built.
 * @returns {Promise<'ok' | 'failed' | 'missing'>} missing: there is no luacheck and none can be installed without asking
 */
export async function lintLua() {
  const luacheck = findProgram('luacheck') ?? (await install());
  if (luacheck === undefined) return 'missing';
  rmSync(OUTPUT, { recursive: true, force: true });
  let count = 0;
  for (const [name, text] of [...(await laneTexts()), ...includedTexts()]) {
    const file = join(OUTPUT, `${name}.lua`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    count += 1;
  }
  const args = ['--quiet', '--no-color', '--config', join(ROOT, '.luacheckrc'), '.'];
  const { ok, output } = await run(luacheck, args, { cwd: OUTPUT, output: 'capture' });
  if (!ok) say(`luacheck over ${count} scripts in ${OUTPUT}\n${output.trim()}`);
  return ok ? 'ok' : 'failed';
}

async function install() {
  if (!canInstallDebianPackages()) return undefined;
  try {
    await installDebianPackage('lua-check');
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    say(error.message);
  }
  return findProgram('luacheck');
}

/** The lanes' scripts with a stub in the place of BullMQ's texts, which are not ours to lint. */
async function laneTexts() {
  const folder = join(PACKAGES, 'lanes');
  const lanes = await import(pathToFileURL(join(folder, 'dist', 'scripts', 'lane-scripts.js')).href);
  const call = 'return redis.call(ARGV[1], KEYS[1], cmsgpack.unpack(ARGV[2]))';
  /** @type {[string, string][]} */
  const texts = [];
  for (const name of lanes.laneScripts().keys()) {
    const handlers = lanes
      .laneScript(name, () => ({ content: call, keys: 1 }))
      .lua.matchAll(/^local function on_([A-Z]+)\(/gm);
    const calls = [...handlers].map(([, command]) => `redis.call("${command}", KEYS[1])`);
    const stub = { content: [...calls, call].join('\n'), keys: 1 };
    const { lua, batch } = lanes.laneScript(name, () => stub);
    texts.push([`lanes/${name}`, lua]);
    if (batch !== undefined) texts.push([`lanes/${name}-batch`, batch]);
  }
  const parts = new Set(['activating', 'once', 'batch', 'adding', 'other']);
  for (const file of readdirSync(join(folder, 'src', 'lua', 'commands'))) {
    const name = basename(file, '.lua');
    if (!parts.has(name)) texts.push([`lanes/${name}`, lanes.ownScript(name).lua]);
  }
  return texts;
}

/** The scripts of packages that name their includes. @returns {[string, string][]} */
function includedTexts() {
  const files = readdirSync(PACKAGES).flatMap((name) => {
    const folder = join(PACKAGES, name, 'lua');
    return luaFiles(folder).map((file) => /** @type {const} */ ([name, folder, file]));
  });
  return files
    .filter(([, , file]) => !file.startsWith('includes'))
    .map(([name, folder, file]) => {
      const text = readFileSync(join(folder, file), 'utf8').replaceAll(
        /^--- @include "([\w-]+)"$/gm,
        (_line, include) => readFileSync(join(folder, 'includes', `${include}.lua`), 'utf8'),
      );
      return [join(name, file.slice(0, -'.lua'.length)), text];
    });
}

/** @param {string} folder */
function luaFiles(folder) {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.lua'));
  } catch {
    return [];
  }
}
