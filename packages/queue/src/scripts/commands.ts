import { bullmqScript } from './bullmq-script.js';
import { readLua, wrapScript, type LuaScript, type ScriptWrapper } from './lua-script.js';

const submit: ScriptWrapper = { name: 'fairlane:submit', keyCount: 1, argCount: 8, lua: readLua('submit') };
const finish: ScriptWrapper = { name: 'fairlane:finish', keyCount: 1, argCount: 1, lua: readLua('finish') };
const remove: ScriptWrapper = { name: 'fairlane:remove', keyCount: 1, argCount: 3, lua: readLua('remove') };
const replay: ScriptWrapper = { name: 'fairlane:replay', keyCount: 1, argCount: 1, lua: readLua('replay') };

/** What runs around which command of the backend below ours. */
const WRAPPERS = {
  addStandardJob: submit,
  addDelayedJob: submit,
  addPrioritizedJob: submit,
  moveToFinished: finish,
  removeJob: remove,
  reprocessJob: replay,
} as const satisfies Record<string, ScriptWrapper>;

export type WrappedCommand = keyof typeof WRAPPERS;

export interface ComposedScript {
  readonly script: LuaScript;
  readonly innerKeyCount: number;
}

/** The composed scripts by the command they stand for. `innerScript` gives the text below ours. */
export function composeScripts(
  innerScript: (command: string) => LuaScript = bullmqScript,
): ReadonlyMap<string, ComposedScript> {
  return new Map(
    Object.entries(WRAPPERS).map(([command, wrapper]) => {
      const inner = innerScript(command);
      return [command, { script: wrapScript(inner, wrapper), innerKeyCount: inner.numberOfKeys }];
    }),
  );
}

/** Scripts of our own that wrap nothing. */
export const OWN_SCRIPTS = {
  inspect: { name: 'fairlane:inspect', numberOfKeys: 1, lua: readLua('inspect') },
  sweep: { name: 'fairlane:sweep', numberOfKeys: 1, lua: readLua('sweep') },
  trim: { name: 'fairlane:trim', numberOfKeys: 1, lua: readLua('trim') },
} as const satisfies Record<string, LuaScript>;
