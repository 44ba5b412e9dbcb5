import { createRequire } from 'node:module';

/** A Lua script of the installed bullmq package, as it ships. */
export interface BullScript {
  readonly name: string;
  readonly content: string;
  readonly keys: number;
}

/**
 * How a BullMQ script is run:
 * - `adding` gives birth to one job, whose lane comes with the call;
 * - `activating` may hand out a job, or promotes delayed ones;
 * - `other` touches waiting, active or finished jobs in any other way.
 *
 * A script without an entry runs as it is: it touches none of them.
 */
export type LaneRole = 'adding' | 'activating' | 'other';

export interface EmbeddedScript {
  readonly role: LaneRole;
  readonly keys: number;
  readonly argv: number | null;
  /** Names of its KEYS, as far as ours needs them. */
  readonly names?: readonly string[];
  /** It takes jobs out of `active` because their attempts are over, so their claims end. */
  readonly endsAttempt?: boolean;
}

/**
 * The scripts that run inside ours, with the KEYS and the highest ARGV that 6.7.0 reads
 * (`null` where it takes any number of arguments).
 */
export const EMBEDDED_SCRIPTS: Readonly<Record<string, EmbeddedScript>> = {
  addDelayedJob: { role: 'adding', keys: 6, argv: 3, names: 'marker meta id delayed'.split(' ') },
  addParentJob: { role: 'adding', keys: 6, argv: 3, names: 'meta id delayed'.split(' ') },
  addPrioritizedJob: {
    role: 'adding',
    keys: 9,
    argv: 3,
    names: 'marker meta id prioritized delayed completed active'.split(' '),
  },
  addStandardJob: {
    role: 'adding',
    keys: 9,
    argv: 3,
    names: 'wait paused meta id completed delayed active events marker'.split(' '),
  },

  moveToActive: {
    role: 'activating',
    keys: 11,
    argv: 3,
    names: 'wait active prioritized events stalled limiter delayed paused meta pc marker'.split(' '),
  },
  moveToDelayed: {
    role: 'activating',
    keys: 11,
    argv: 9,
    names: 'marker active prioritized delayed job events meta stalled wait limiter pc'.split(' '),
  },
  moveToFinished: {
    role: 'activating',
    keys: 14,
    argv: 9,
    names:
      'wait active prioritized events stalled limiter delayed paused meta pc finished job metrics marker'.split(
        ' ',
      ),
  },
  retryJob: {
    role: 'activating',
    keys: 11,
    argv: 6,
    names: 'active wait paused job meta events delayed prioritized pc marker'.split(' '),
  },

  addJobScheduler: { role: 'other', keys: 11, argv: 9 },
  changeDelay: { role: 'other', keys: 4, argv: 4 },
  changePriority: { role: 'other', keys: 7, argv: 4 },
  cleanJobsInSet: { role: 'other', keys: 3, argv: 4 },
  drain: { role: 'other', keys: 5, argv: 2 },
  getCounts: { role: 'other', keys: 1, argv: null },
  getCountsPerPriority: { role: 'other', keys: 2, argv: null },
  getJobs: { role: 'other', keys: 1, argv: null },
  getRanges: { role: 'other', keys: 1, argv: null },
  getState: { role: 'other', keys: 8, argv: 1 },
  getStateV2: { role: 'other', keys: 8, argv: 1 },
  moveJobFromActiveToWait: { role: 'other', keys: 9, argv: 3, endsAttempt: true },
  moveJobsToWait: { role: 'other', keys: 8, argv: 3 },
  moveStalledJobsToWait: { role: 'other', keys: 9, argv: 4, endsAttempt: true },
  moveToWaitingChildren: { role: 'other', keys: 7, argv: 5, endsAttempt: true },
  obliterate: { role: 'other', keys: 2, argv: 2 },
  pause: { role: 'other', keys: 7, argv: 2 },
  promote: { role: 'other', keys: 9, argv: 2 },
  releaseParentIfNoPendingDependencies: { role: 'other', keys: 2, argv: 3 },
  removeChildDependency: { role: 'other', keys: 1, argv: 2 },
  removeJob: { role: 'other', keys: 2, argv: 3 },
  removeJobScheduler: { role: 'other', keys: 3, argv: 2 },
  removeOrphanedJobs: { role: 'other', keys: 1, argv: null },
  removeUnprocessedChildren: { role: 'other', keys: 2, argv: 2 },
  reprocessJob: { role: 'other', keys: 9, argv: 6 },
  updateJobScheduler: { role: 'other', keys: 12, argv: 7 },
};

const ROUTED = ['wait', 'active', 'prioritized', 'delayed', 'meta', 'marker', 'pc'];

/**
 * Puts the script's KEYS in the place of their names in `text`: WAIT becomes KEYS[1] and so on.
 * A variable that functions share costs more than an index into KEYS; a key that the script is not
 * given gets one all the same.
 */
export function nameKeys(script: EmbeddedScript, text: string): string {
  const { names } = script;
  if (!names) {
    return text;
  }
  const missing = ROUTED.filter(
    (name) => !names.includes(name) && new RegExp(`\\b${name.toUpperCase()}\\b`).test(text),
  );
  return [
    ...missing.map((name) => `local ${name.toUpperCase()} = own.base .. '${name}'`),
    ROUTED.filter((name) => names.includes(name)).reduce(
      (lua, name) =>
        lua.replaceAll(new RegExp(`\\b${name.toUpperCase()}\\b`, 'g'), `KEYS[${names.indexOf(name) + 1}]`),
      text,
    ),
  ].join('\n');
}

/** Versions whose scripts the tests have run inside ours. */
export const SUPPORTED_BULLMQ = /^6\.7\.\d+$/;

const require = createRequire(import.meta.url);

export function installedBullmqVersion(): string {
  return (require('bullmq/package.json') as { version: string }).version;
}

/** The scripts of the installed package by name; no exports map forbids reading them. */
export function installedScripts(): Map<string, BullScript> {
  const modules = require('bullmq/dist/cjs/scripts/index.js') as Record<string, BullScript>;
  return new Map(Object.values(modules).map((script) => [script.name, script]));
}

/** The highest literal index a script reads of ARGV. */
export function highestArgument(content: string): number {
  return Math.max(0, ...[...content.matchAll(/\bARGV\[(\d+)\]/g)].map((match) => Number(match[1])));
}
