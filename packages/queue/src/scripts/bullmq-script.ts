import { createRequire } from 'node:module';
import type { LuaScript } from './lua-script.js';

/** BullMQ has no exports map; the texts that its client loads are plain modules of the package. */
const installed = createRequire(import.meta.url)('bullmq/dist/cjs/scripts') as Readonly<
  Record<string, { name: string; keys: number; content: string } | undefined>
>;

/** The text of a script of the installed BullMQ, unchanged. */
export function bullmqScript(name: string): LuaScript {
  const script = installed[name];
  if (typeof script?.content !== 'string' || typeof script.keys !== 'number') {
    throw new Error(`the installed bullmq has no script ${name}: this version of fairlane needs bullmq 6.7`);
  }
  return { name, numberOfKeys: script.keys, lua: script.content };
}
