import { readFileSync } from 'node:fs';

const LUA = new URL('../../src/lua/', import.meta.url);
/** Each script is composed of most of them. */
const texts = new Map<string, string>();

/** A file of `lua/`. */
export function readLua(path: string): string {
  let text = texts.get(path);
  if (text === undefined) {
    text = readFileSync(new URL(path, LUA), 'utf8');
    texts.set(path, text);
  }
  return text;
}

/** Files of `lua/includes/`, one behind the other. */
export function includes(names: readonly string[]): string {
  return names.map((name) => readLua(`includes/${name}.lua`)).join('\n');
}

/** Names that the files of the second and third layer, and commands that are not hot, use. */
export const SHORT_NAMES = `local BASE, OWN, lane_of_key = own.base, own.own, own.lane_of
local SHARED, floor, huge = 'default:', math.floor, math.huge`;

/** The layers, and those that each builds on. */
const BELOW = {
  reading: [],
  passing: ['reading'],
  gated: ['reading', 'passing'],
  choosing: ['gated'],
  idle: [],
  rare: ['reading', 'gated', 'choosing'],
} as const;

/**
 * A layer of functions that is built when a call first needs it; see `context.lua` for why.
 * What it exports are the names of its local functions.
 */
function layer(name: keyof typeof BELOW, files: readonly string[], exported: readonly string[]): string {
  return [
    `${name} = function()`,
    `if own.${name} then return own.${name} end`,
    ...BELOW[name].map((below) => `local ${below} = ${below}()`),
    SHORT_NAMES,
    includes(files),
    `own.${name} = { ${exported.map((each) => `${each} = ${each}`).join(', ')} }`,
    `return own.${name}`,
    'end',
  ].join('\n');
}

/** What every script begins with; `own`: with what commands of our own need besides. */
export function prelude(own: boolean): string {
  return [
    includes(['context']),
    layer('reading', ['reading'], READING_EXPORTS),
    layer('passing', ['records', 'claims', 'passing'], PASSING_EXPORTS),
    layer('gated', ['waiting', 'gates', 'release'], GATED_EXPORTS),
    layer('choosing', ['admission'], CHOOSING_EXPORTS),
    layer('idle', ['idle'], IDLE_EXPORTS),
    layer('rare', [...RARE_FILES, ...(own ? OWN_FILES : [])], [...RARE_EXPORTS, ...(own ? OWN_EXPORTS : [])]),
  ].join('\n');
}

const READING_EXPORTS = [
  'GATES',
  'PREFIX',
  'SETTINGS',
  'foresee',
  'has_settings',
  'is_unclaimed',
  'read',
  'read_settings',
  'record_of',
  'records',
  'settings',
];
const PASSING_EXPORTS = [
  'NO_GATE',
  'ROOM',
  'WAITING',
  'attempt_ended',
  'carried_over',
  'claim_record',
  'keep',
  'keep_claim',
  'left',
  'left_of',
  'limits_of_group',
  'new_fence',
  'none_waits',
  'pass',
  'read_claim',
  'save_gates',
  'with_claims',
  'write_claims',
];
const GATED_EXPORTS = [
  'await_claim',
  'await_no_claim',
  'bucket_opens_at',
  'carried_over',
  'change',
  'charge',
  'claim_record',
  'closed',
  'count_claim',
  'forget',
  'gate_of',
  'is_recorded',
  'leave',
  'new_fence',
  'queue_of',
  'read_claim',
  'release',
  'settings_of',
  'split',
  'write_settings',
];
const CHOOSING_EXPORTS = ['admit', 'choose', 'groups_of', 'hold', 'is_refused', 'next_cost'];
const IDLE_EXPORTS = ['next_due', 'tidy'];
const RARE_FILES = [
  'joining',
  'lanes',
  'indexes',
  'totals',
  'turns',
  'promotion',
  'removal',
  'arrivals',
  'visibility',
  'redirect',
  'nested',
];
const RARE_EXPORTS = [
  'absorb',
  'add_group',
  'birth',
  'charge_total',
  'drop_ghost',
  'erase',
  'handle',
  'held',
  'open_due',
  'promote',
  'pushed',
  'redirect',
  'release_total',
  'reopen',
  'save_others',
  'take_turn',
  'total_is_closed',
  'window_opens_at',
];
/** What commands of our own build on besides. */
const OWN_FILES = ['settings', 'auditing', 'places'];
const OWN_EXPORTS = [
  'PREFIX',
  'accounts_from',
  'adopt_active',
  'all_queues',
  'audit_active',
  'audit_claims',
  'audit_counts',
  'audit_held',
  'carry_over',
  'close_gate',
  'each_lane',
  'gate_anywhere',
  'index_behind',
  'index_delayed',
  'index_finished',
  'is_before',
  'known_groups',
  'lane_closed',
  'lane_of',
  'length',
  'limit_everywhere',
  'push',
  'push_prioritized',
  'queue_deleted',
  'queue_of',
  'rank_behind',
  'reconsider',
  'remember_account',
  'remember_group',
  'review',
  'review_account',
  'settle_in',
  'save_all',
  'total_closed',
  'unindex_finished',
  'write_groups',
];
