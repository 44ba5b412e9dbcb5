import type { LuaScript } from './lua-script.js';

/** Runs a script that the connection defines (see `connections.ts`). */
export async function runScript(
  client: object,
  { name }: LuaScript,
  args: readonly (string | number)[],
): Promise<unknown> {
  const command = (client as Record<string, unknown>)[name];
  if (typeof command !== 'function') throw new Error(`the connection does not define the script ${name}`);
  return Reflect.apply(command, client, args) as Promise<unknown>;
}
