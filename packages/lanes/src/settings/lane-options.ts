import type { JobsOptions } from 'bullmq';
import { LaneError } from '../errors.js';

/** Where a job waits and what it spends; the job option `lane`. */
export interface LaneOptions {
  /** The customer the job belongs to; 1 to 256 bytes. */
  account: string;
  /** The outside system whose limit applies. Default: `default`. */
  group?: string;
  /** Tokens the job spends of its gate, at least 1, clamped to the burst. Default: 1. */
  cost?: number;
  /** An optional label to find jobs by, such as a campaign; 1 to 256 bytes. */
  tag?: string;
}

/** BullMQ's job options with a lane. */
export type LaneJobsOptions = JobsOptions & { lane?: LaneOptions };

declare module 'bullmq' {
  interface BaseJobOptions {
    /** The account's lane this job waits in. A job without one goes to the shared lane. */
    lane?: LaneOptions;
  }
}

const GROUP = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const MAX_NAME_BYTES = 256;
const MAX_COST = 1_000_000;

function name(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') {
    throw new LaneError('invalid_lane', `${what} must be a string that is not empty.`);
  }
  const bytes = Buffer.byteLength(value);
  if (bytes > MAX_NAME_BYTES) {
    throw new LaneError('invalid_lane', `${what} has ${bytes} bytes; at most ${MAX_NAME_BYTES} are allowed.`);
  }
  return value;
}

export function checkAccount(account: unknown): string {
  return name(account, 'The account of a lane');
}

export function checkGroup(group: unknown): string {
  if (typeof group !== 'string' || !GROUP.test(group)) {
    throw new LaneError(
      'invalid_lane',
      `The group ${JSON.stringify(group)} of a lane must match ${GROUP.source}.`,
    );
  }
  return group;
}

/** Two strings for the Lua side: `group:account`, and the rest as JSON where there is any. */
export interface EncodedLane {
  lane: string;
  extra: string;
}

const SHARED: EncodedLane = { lane: '', extra: '' };
const SHARED_CHILD: EncodedLane = { lane: '', extra: '{"parent":true}' };

/**
 * Checks and encodes the option `lane` of a job.
 *
 * @throws LaneError `invalid_lane`, `undeclared_group`
 */
export function encodeLane(
  lane: LaneOptions | undefined,
  declared: ReadonlySet<string>,
  hasParent: boolean,
): EncodedLane {
  if (lane === undefined || lane === null) {
    return hasParent ? SHARED_CHILD : SHARED;
  }
  const account = checkAccount(lane.account);
  const group = lane.group === undefined ? 'default' : checkGroup(lane.group);
  if (!declared.has(group)) {
    throw new LaneError(
      'undeclared_group',
      `The group ${JSON.stringify(group)} is not declared; declared are ${[...declared].join(', ')}.`,
    );
  }
  const extra: { cost?: number; tag?: string; parent?: true } = {};
  if (lane.cost !== undefined && lane.cost !== 1) {
    if (!Number.isFinite(lane.cost) || lane.cost < 1 || lane.cost > MAX_COST) {
      throw new LaneError('invalid_lane', `The cost ${lane.cost} of a lane must be from 1 to ${MAX_COST}.`);
    }
    extra.cost = lane.cost;
  }
  if (lane.tag !== undefined) {
    extra.tag = name(lane.tag, 'The tag of a lane');
  }
  if (hasParent) {
    extra.parent = true;
  }
  const more = hasParent || extra.cost !== undefined || extra.tag !== undefined;
  return { lane: `${group}:${account}`, extra: more ? JSON.stringify(extra) : '' };
}
