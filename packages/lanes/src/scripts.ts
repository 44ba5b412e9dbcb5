import { readFileSync } from 'node:fs';
import {
  EMBEDDED_SCRIPTS,
  SUPPORTED_BULLMQ,
  highestArgument,
  installedBullmqVersion,
  installedScripts,
  keyLocals,
  type LaneRole,
} from './bull-scripts.js';
import { LaneError } from './errors.js';

/** A script ready to be registered with a client. */
export interface ComposedScript {
  readonly name: string;
  readonly role: LaneRole | 'own';
  readonly numberOfKeys: number;
  readonly lua: string;
}

const LUA = new URL('../src/lua/', import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, LUA), 'utf8');
}

function includes(names: readonly string[]): string {
  return names.map((name) => read(`includes/${name}.lua`)).join('\n');
}

/**
 * A layer of functions that is built when a call first needs it; see `context.lua` for why.
 * What it exports are the names of its local functions.
 */
function layer(name: 'gated' | 'rare', files: readonly string[], exported: readonly string[]): string {
  return [
    `${name} = function()`,
    `if ${name}_built then return ${name}_built end`,
    name === 'rare' ? 'local gated = gated()' : '',
    includes(files),
    `${name}_built = { ${exported.map((each) => `${each} = ${each}`).join(', ')} }`,
    `return ${name}_built`,
    'end',
  ].join('\n');
}

function prelude(own: boolean): string {
  return [
    includes(['context']),
    layer('gated', ['gates', 'admission', 'release'], GATED_EXPORTS),
    layer('rare', [...RARE_FILES, ...(own ? OWN_FILES : [])], [...RARE_EXPORTS, ...(own ? OWN_EXPORTS : [])]),
  ].join('\n');
}

const GATED_EXPORTS = [
  'admit',
  'bucket_opens_at',
  'choose',
  'closed',
  'gate_of',
  'gates',
  'groups_of',
  'hold',
  'next_cost',
  'release',
  'split',
];
const RARE_FILES = ['lanes', 'indexes', 'totals', 'turns', 'promotion', 'removal', 'visibility', 'redirect'];
const RARE_EXPORTS = [
  'add_group',
  'birth',
  'charge_total',
  'drop_ghost',
  'handle',
  'next_due',
  'open_due',
  'promote',
  'pushed',
  'redirect',
  'release_total',
  'reopen',
  'save_others',
  'take_turn',
  'tidy',
  'total_is_closed',
  'total_of',
  'window_opens_at',
];
/** What commands of our own build on besides. */
const OWN_FILES = ['settings', 'auditing'];
const OWN_EXPORTS = [
  'PREFIX',
  'absorb',
  'adopt_active',
  'all_queues',
  'audit_active',
  'audit_claims',
  'audit_counts',
  'audit_held',
  'carry_over',
  'each_lane',
  'index_delayed',
  'index_finished',
  'lane_of',
  'length',
  'limit_everywhere',
  'push',
  'push_prioritized',
  'queue_deleted',
  'queue_of',
  'range',
  'reconsider',
  'review',
  'review_account',
  'save_all',
  'total_closed',
  'unindex_finished',
];

function define(parts: readonly string[]): string {
  return `local function lane(redis, KEYS, ARGV)\n${parts.join('\n')}\nend\n`;
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

const composed = new Map<string, ComposedScript>();

function compose(): void {
  checkVersion();
  const scripts = installedScripts();
  for (const [name, expected] of Object.entries(EMBEDDED_SCRIPTS)) {
    const script = scripts.get(name);
    const argv = script && highestArgument(script.content);
    if (!script || script.keys !== expected.keys || (expected.argv !== null && argv !== expected.argv)) {
      throw new LaneError(
        'unsupported_bullmq',
        `The script ${name} of bullmq ${installedBullmqVersion()} takes ${script?.keys ?? 'no'} keys and ${argv ?? 'no'} arguments; ${expected.keys} and ${expected.argv ?? 'any'} were expected. Install a supported version.`,
      );
    }
    const definition = define([
      `local FINISHING, ENDS_ATTEMPT = ${name === 'moveToFinished'}, ${expected.role === 'activating' || expected.endsAttempt === true}`,
      prelude(false),
      `local function bull(redis, KEYS, ARGV)\n${script.content}\nend`,
      expected.names ? keyLocals(expected) : '',
      read(`commands/${expected.role}.lua`),
    ]);
    composed.set(name, {
      name,
      role: expected.role,
      numberOfKeys: script.keys + 1,
      lua: `${definition}return lane(redis, KEYS, ARGV)\n`,
    });
  }
}

function compositions(): Map<string, ComposedScript> {
  if (composed.size === 0) {
    compose();
  }
  return composed;
}

/** All BullMQ scripts that run inside ours. */
export function laneScripts(): ReadonlyMap<string, ComposedScript> {
  return compositions();
}

/**
 * The script that runs BullMQ's `commandName` with lanes, to be wrapped in a script of yours: put
 * your KEYS behind ours and your ARGV last, `table.remove` them again, then run this text as a
 * function of KEYS and ARGV. Its reply is BullMQ's, with a fifth element where that is a table.
 */
export function laneScript(commandName: string): ComposedScript {
  const script = compositions().get(commandName);
  if (!script) {
    throw new LaneError('unknown_command', `${commandName} is not a BullMQ command that lanes run.`);
  }
  return script;
}

/** A command of our own (`src/lua/commands/<name>.lua`) with the includes it builds on. */
export function ownScript(name: string, numberOfKeys = 1): ComposedScript {
  const definition = define(['local ENDS_ATTEMPT = false', prelude(true), read(`commands/${name}.lua`)]);
  return {
    name,
    role: 'own',
    numberOfKeys,
    lua: `${definition}return lane(redis, KEYS, ARGV)\n`,
  };
}
