import type { LaneOptions } from '../settings/lane-options.js';

/**
 * A job's lane is stored once, in fields of its own (`ln`, `lc`, `tg`): as part of the option JSON
 * it would push small jobs over the 64 bytes to which Redis keeps a hash compact, and so triple
 * their size. Here it is taken out of the options before they are stored and put back when read.
 */

interface WithOptions {
  opts?: { lane?: LaneOptions; deduplication?: { keepLastIfActive?: boolean } };
}

/** The lane of a job whose stored options are without it. */
const LANE = Symbol('lane');

/** A copy of the job whose options have no lane; `laneOf` still tells it. */
export function withoutLane<J extends WithOptions>(job: J): J {
  const { opts } = job;
  // The successor of a deduplicated job is made of the stored options alone.
  if (!opts?.lane || opts.deduplication?.keepLastIfActive) {
    return job;
  }
  const { lane, ...stored } = opts;
  // The symbol first: an object that gets it last is slow to make.
  return { [LANE]: lane, ...job, opts: stored };
}

export function laneOf(job: WithOptions): LaneOptions | undefined {
  return (job as { [LANE]?: LaneOptions })[LANE] ?? job.opts?.lane;
}

function parse(lane: string, cost: string | undefined, tag: string | undefined): LaneOptions {
  const colon = lane.indexOf(':');
  const group = lane.slice(0, colon);
  return {
    account: lane.slice(colon + 1),
    ...(group === 'default' ? {} : { group }),
    ...(cost === undefined ? {} : { cost: Number(cost) }),
    ...(tag === undefined ? {} : { tag }),
  };
}

/** Puts the lane back into the options of a job's hash as Redis replies it: field, value, ... */
export function restoreLane(hash: unknown): void {
  if (!Array.isArray(hash)) {
    return;
  }
  let lane: string | undefined;
  let cost: string | undefined;
  let tag: string | undefined;
  let options = -1;
  for (let at = 0; at < hash.length; at += 2) {
    switch (hash[at]) {
      case 'ln':
        lane = hash[at + 1] as string;
        break;
      case 'lc':
        cost = hash[at + 1] as string;
        break;
      case 'tg':
        tag = hash[at + 1] as string;
        break;
      case 'opts':
        options = at + 1;
        break;
      default:
    }
  }
  if (lane === undefined || options === -1) {
    return;
  }
  const json = hash[options] as string;
  if (!json.includes('"lane":')) {
    const rest = json.slice(1);
    hash[options] = `{"lane":${JSON.stringify(parse(lane, cost, tag))}${rest === '}' ? '' : ','}${rest}`;
  }
}

/** The lane as it is in the fields `ln`, `lc` and `tg`. */
export function laneOfFields([lane, cost, tag]: (string | null)[]): LaneOptions | undefined {
  return lane ? parse(lane, cost ?? undefined, tag ?? undefined) : undefined;
}
