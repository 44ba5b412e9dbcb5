import { customScript, laneScript, laneScripts, type ComposedScript } from '@fairlane/lanes';
import { readLua, wrapScript, type ScriptWrapper } from './lua-script.js';

const submit: ScriptWrapper = { keyCount: 1, argCount: 7, lua: readLua('submit') };
const remove: ScriptWrapper = { keyCount: 1, argCount: 2, lua: readLua('remove') };
const replay: ScriptWrapper = { keyCount: 2, argCount: 4, lua: readLua('replay') };
const defer: ScriptWrapper = { keyCount: 0, argCount: 2, lua: readLua('defer') };

/** Our commands that run around one of BullMQ's, inside the lanes. */
const WRAPPED = {
  'submit:addStandardJob': ['addStandardJob', submit],
  'submit:addDelayedJob': ['addDelayedJob', submit],
  'submit:addPrioritizedJob': ['addPrioritizedJob', submit],
  'remove:removeJob': ['removeJob', remove],
  'replay:reprocessJob': ['reprocessJob', replay],
  'defer:moveJobFromActiveToWait': ['moveJobFromActiveToWait', defer],
} as const satisfies Record<string, readonly [bullCommand: string, wrapper: ScriptWrapper]>;

export type WrappedCommand = keyof typeof WRAPPED;

/** Our commands on BullMQ's keys that wrap none of BullMQ's, inside the lanes. */
const CUSTOM = { cancel: 2, inspect: 1 } as const;

/** Scripts that touch nothing of the lanes. */
export const PLAIN_SCRIPTS = {
  remember: { name: 'fairlane.remember', numberOfKeys: 2, lua: readLua('remember') },
  entryState: { name: 'fairlane.entryState', numberOfKeys: 1, lua: readLua('entry-state') },
  sweep: { name: 'fairlane.sweep', numberOfKeys: 1, lua: readLua('sweep') },
  count: { name: 'fairlane.count', numberOfKeys: 1, lua: readLua('count') },
  deadPage: { name: 'fairlane.deadPage', numberOfKeys: 1, lua: readLua('dead-page') },
  bulkCreate: { name: 'fairlane.bulkCreate', numberOfKeys: 3, lua: readLua('bulk-create') },
  bulkLease: { name: 'fairlane.bulkLease', numberOfKeys: 1, lua: readLua('bulk-lease') },
  bulkAdvance: { name: 'fairlane.bulkAdvance', numberOfKeys: 2, lua: readLua('bulk-advance') },
  bulkCancel: { name: 'fairlane.bulkCancel', numberOfKeys: 2, lua: readLua('bulk-cancel') },
} as const;

let composed: ReadonlyMap<string, ComposedScript> | undefined;

/** Every script that runs with lanes, by command: those of the lanes, and ours. */
export function queueScripts(): ReadonlyMap<string, ComposedScript> {
  composed ??= new Map([
    ...laneScripts(),
    ...Object.entries(WRAPPED).map(
      ([name, [command, wrapper]]) =>
        [name, { ...laneScript(command, (bull) => wrapScript(bull, wrapper)), name }] as const,
    ),
    ...Object.entries(CUSTOM).map(
      ([name, keys]) => [name, customScript({ name, keys, content: readLua(name) })] as const,
    ),
  ]);
  return composed;
}

/**
 * The arguments of a wrapped command: BullMQ's, with the wrapper's keys behind BullMQ's keys and its arguments behind
 * BullMQ's. What the lanes have put last already, for a command that adds a job, stays last.
 */
export function wrappedArgs(
  command: WrappedCommand,
  args: readonly unknown[],
  keys: readonly string[],
  outer: readonly (string | number)[],
): unknown[] {
  const bull = laneScript(WRAPPED[command][0]);
  const keyCount = bull.numberOfKeys - 1;
  const end = bull.role === 'adding' ? args.length - LANE_ARGS : args.length;
  return [...args.slice(0, keyCount), ...keys, ...args.slice(keyCount, end), ...outer, ...args.slice(end)];
}

/** What the lanes append to the arguments of a command that adds a job: lane, extra, key prefix, time. */
const LANE_ARGS = 4;
