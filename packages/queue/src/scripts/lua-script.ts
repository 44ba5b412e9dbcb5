import { readFileSync } from 'node:fs';
import type { BullScript } from '@fairlane/lanes';

/** Lua that runs around a script of BullMQ's, as one script. */
export interface ScriptWrapper {
  readonly keyCount: number;
  readonly argCount: number;
  readonly lua: string;
}

/**
 * The text of `wrapper` around BullMQ's, which is not changed. The wrapper calls `inner(KEYS, ARGV)` once, when it has
 * decided to. Its own keys come behind BullMQ's, its own arguments last: it finds them in `outerKeys` and `outerArgs`.
 * BullMQ's text sees them too, and reads none of them: the lanes check how many it reads.
 */
export function wrapScript(
  { content, keys }: Pick<BullScript, 'content' | 'keys'>,
  { keyCount, argCount, lua }: ScriptWrapper,
): Pick<BullScript, 'content' | 'keys'> {
  return {
    keys: keys + keyCount,
    content: `local function inner(KEYS, ARGV)
${content}
end
local outerKeys = { unpack(KEYS, ${keys + 1}, ${keys + keyCount}) }
local outerArgs = { unpack(ARGV, #ARGV - ${argCount - 1}) }
${lua}`,
  };
}

const FOLDER = new URL('../../lua/', import.meta.url);

/** Reads `lua/<name>.lua` of this package and puts its includes in. */
export function readLua(name: string): string {
  const text = readFileSync(new URL(`${name}.lua`, FOLDER), 'utf8');
  return text.replaceAll(/^--- @include "([\w-]+)"$/gm, (_line, include: string) =>
    readFileSync(new URL(`includes/${include}.lua`, FOLDER), 'utf8'),
  );
}
