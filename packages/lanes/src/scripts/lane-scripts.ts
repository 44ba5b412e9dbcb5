import {
  EMBEDDED_SCRIPTS,
  SUPPORTED_BULLMQ,
  highestArgument,
  installedBullmqVersion,
  installedScripts,
  nameKeys,
  type BullScript,
  type EmbeddedScript,
  type LaneRole,
} from './bull-scripts.js';
import { bindCommands, handledCommands } from './binding.js';
import { LaneError } from '../errors.js';
import { SHORT_NAMES, includes, prelude, readLua } from './layers.js';

/** A script ready to be registered with a client. */
export interface ComposedScript {
  readonly name: string;
  readonly role: LaneRole | 'own';
  readonly numberOfKeys: number;
  readonly lua: string;
  /** For several runs in one call, where a busy process has them. */
  readonly batch?: string;
}

const FINISH = 'moveToFinished';
/** A busy worker ends several jobs in one turn of its event loop, a busy producer adds several; flows come in transactions. */
const BATCHED = new Set([FINISH, 'addStandardJob', 'addDelayedJob', 'addPrioritizedJob']);

/**
 * BullMQ's text as a function of the `redis` it is to see, which gives the function to run. The runs of a batch share
 * the functions that the text begins with: building them takes a tenth of the time of a run.
 */
function defineBull({ name, content }: BullScript, ours: string): string {
  const lines = bindCommands(content, handledCommands(ours)).split('\n');
  const main = name === FINISH ? lines.findIndex((line) => /^(?!--)\S.*\bKEYS\[/.test(line)) : 0;
  return [
    'local function bull(redis)',
    ...lines.slice(0, main),
    'return function(KEYS, ARGV)',
    ...lines.slice(main),
    'end',
    'end',
    'bull_run = bull(bull_redis)',
  ].join('\n');
}

function define(parts: readonly string[]): string {
  return `local function script(redis, KEYS, ARGV)\n${parts.join('\n')}\nend\n`;
}

function checkVersion(): void {
  const version = installedBullmqVersion();
  if (!SUPPORTED_BULLMQ.test(version)) {
    throw new LaneError(
      'unsupported_bullmq',
      `bullmq ${version} is installed; @fairlane/lanes has been tested with ${SUPPORTED_BULLMQ.source}. Install a supported version.`,
    );
  }
}

/** A script with the place it takes among BullMQ's; `around` is whether another one is wrapped around it. */
function compose(script: BullScript, place: EmbeddedScript, around: boolean): ComposedScript {
  return {
    name: script.name,
    role: place.role,
    numberOfKeys: script.keys + 1,
    lua: composeText(script, place, around),
    ...(BATCHED.has(script.name) && { batch: composeText(script, place, around, 'batch') }),
  };
}

/** @param ending what runs it: once or as several runs. */
function composeText(
  script: BullScript,
  place: EmbeddedScript,
  around: boolean,
  ending: 'once' | 'batch' = 'once',
): string {
  const activating = place.role === 'activating';
  const endsAttempt = activating || place.endsAttempt === true;
  const shared = {
    activating: includes(['handlers', 'heads', 'write-back', 'merging']),
    adding: [SHORT_NAMES, includes(['joining', 'handlers'])].join('\n'),
    other: SHORT_NAMES,
  };
  const ours = nameKeys(place, [shared[place.role], readLua(`commands/${place.role}.lua`)].join('\n'));
  const definition = define([
    prelude(around && place.role === 'other'),
    ...(ours.match(DECLARATION) ?? []),
    'local function body()',
    activating && ending === 'batch' ? includes(['options']) : '',
    ours.replaceAll(DECLARATION, '').replaceAll(/\bFINISHING\b/g, String(script.name === FINISH)),
    defineBull(script, ours),
    readLua(`commands/${ending}.lua`),
    'end',
    'return body()',
  ]);
  return `${definition}return script(redis, KEYS, ARGV)\n`.replaceAll(
    /\bENDS_ATTEMPT\b/g,
    String(endsAttempt),
  );
}

/**
 * Variables of ours that are declared and no more. They are declared around the functions that share them: Lua finds
 * them there at once, while it looks for variables of the function that runs one by one.
 */
const DECLARATION = /^local [a-z_]+(?:, [a-z_]+)*$/gm;

/** The installed script and its place, once it has been checked that it is what the tests have run. */
function embedded(name: string): [BullScript, EmbeddedScript] {
  const place = EMBEDDED_SCRIPTS[name];
  if (!place) {
    throw new LaneError('unknown_command', `${name} is not a BullMQ command that lanes run.`);
  }
  const script = installedScripts().get(name);
  const argv = script && highestArgument(script.content);
  if (!script || script.keys !== place.keys || (place.argv !== null && argv !== place.argv)) {
    throw new LaneError(
      'unsupported_bullmq',
      `The script ${name} of bullmq ${installedBullmqVersion()} takes ${script?.keys ?? 'no'} keys and ${argv ?? 'no'} arguments; ${place.keys} and ${place.argv ?? 'any'} were expected. Install a supported version.`,
    );
  }
  return [script, place];
}

let composed: ReadonlyMap<string, ComposedScript> | undefined;

function compositions(): ReadonlyMap<string, ComposedScript> {
  if (!composed) {
    checkVersion();
    composed = new Map(
      Object.keys(EMBEDDED_SCRIPTS).map((name) => [name, compose(...embedded(name), false)]),
    );
  }
  return composed;
}

/** All BullMQ scripts that run inside ours. */
export function laneScripts(): ReadonlyMap<string, ComposedScript> {
  return compositions();
}

/**
 * The script that runs BullMQ's `commandName` with lanes. `around` gives the text to run in its place, such as
 * BullMQ's with more before and after it, and the number of its KEYS: BullMQ's come first, then its own. It takes
 * its own ARGV off the end. Like BullMQ's text it sees a `redis` whose `call` is redirected to the lanes, and besides
 *
 * - `redis.now()`: the server's time in ms, where tests may move it;
 * - `redis.lanes()`: functions of `src/lua/includes/nested.lua`;
 * - `redis.waiting(from)`, where BullMQ's adds a job: how many jobs wait in its queue, and how many of its account,
 *   which are counted only where at least `from` wait.
 */
export function laneScript(
  commandName: string,
  around?: (bull: BullScript) => Pick<BullScript, 'content' | 'keys'>,
): ComposedScript {
  if (!around) {
    const script = compositions().get(commandName);
    return script ?? compose(...embedded(commandName), false);
  }
  const [script, place] = embedded(commandName);
  return compose({ ...script, ...around(script) }, place, true);
}

/** A script of yours on BullMQ's keys, with lanes: for what BullMQ has no command for. See `laneScript`. */
export function customScript(script: BullScript): ComposedScript {
  return compose(script, { role: 'other', keys: script.keys, argv: null }, true);
}

/** A command of our own (`src/lua/commands/<name>.lua`) with the includes it builds on. */
export function ownScript(name: string, numberOfKeys = 1): ComposedScript {
  const definition = define([
    prelude(true).replaceAll(/\bENDS_ATTEMPT\b/g, 'false'),
    SHORT_NAMES,
    readLua(`commands/${name}.lua`),
  ]);
  return {
    name,
    role: 'own',
    numberOfKeys,
    lua: `${definition}return script(redis, KEYS, ARGV)\n`,
  };
}
