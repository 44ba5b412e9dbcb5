import { readFileSync } from 'node:fs';

/** A Lua script as Redis clients take it: the first `numberOfKeys` arguments are KEYS, the rest ARGV. */
export interface LuaScript {
  readonly name: string;
  readonly numberOfKeys: number;
  readonly lua: string;
}

/** Lua that runs around another script, as one script. */
export interface ScriptWrapper {
  readonly name: string;
  readonly keyCount: number;
  readonly argCount: number;
  readonly lua: string;
}

/**
 * Runs `wrapper` around `inner`, whose text is not changed. The wrapper calls `inner(KEYS, ARGV)` once, when it has
 * decided to; its own keys and arguments come last and are taken off before, so that scripts can be wrapped again
 * and again, whoever wrote them.
 *
 * The wrapper sees `inner`, KEYS and ARGV of the inner script, `outerKeys` and `outerArgs`.
 */
export function wrapScript(inner: LuaScript, wrapper: ScriptWrapper): LuaScript {
  return {
    name: `${wrapper.name}:${inner.name}`,
    numberOfKeys: inner.numberOfKeys + wrapper.keyCount,
    lua: `local function inner(KEYS, ARGV)
${inner.lua}
end
local function takeLast(list, count)
  local taken = {}
  for i = count, 1, -1 do
    taken[i] = table.remove(list)
  end
  return taken
end
local outerKeys, outerArgs = takeLast(KEYS, ${wrapper.keyCount}), takeLast(ARGV, ${wrapper.argCount})
${wrapper.lua}`,
  };
}

/** The arguments of a wrapped script: the inner script's with the wrapper's keys and arguments put last. */
export function wrappedArgs(
  innerKeyCount: number,
  innerArgs: readonly unknown[],
  keys: readonly string[],
  args: readonly (string | number)[],
): unknown[] {
  return [...innerArgs.slice(0, innerKeyCount), ...keys, ...innerArgs.slice(innerKeyCount), ...args];
}

const FOLDER = new URL('../../lua/', import.meta.url);

/** Reads `lua/<name>.lua` of this package and puts its includes in. */
export function readLua(name: string): string {
  const text = readFileSync(new URL(`${name}.lua`, FOLDER), 'utf8');
  return text.replaceAll(/^--- @include "([\w-]+)"$/gm, (_line, include: string) =>
    readFileSync(new URL(`includes/${include}.lua`, FOLDER), 'utf8'),
  );
}
