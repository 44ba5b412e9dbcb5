/**
 * Every key of lanes lives under `<prefix>::`, so under the hash tag of the BullMQ prefix; no
 * queue can collide with it, since BullMQ allows neither empty queue names nor colons in them.
 */
export interface LaneKeys {
  /** The queue's own key: its state, and the stem of its other keys. */
  queue(queue: string): string;
  /** BullMQ's key prefix of the queue, `P:Q:`. */
  base(queue: string): string;
  account(account: string): string;
  windows(account: string): string;
  group(group: string): string;
  readonly config: string;
  readonly queues: string;
  readonly accounts: string;
  readonly calendars: string;
  /** Held by the process whose turn it is to do the upkeep. */
  readonly upkeep: string;
  /** There for as long as the lanes need not be counted again. */
  readonly recounted: string;
  /** Client ids of the queue's workers with lanes. */
  workers(queue: string): string;
  readonly pauses: string;
}

export function laneKeys(prefix: string): LaneKeys {
  return {
    queue: (queue) => `${prefix}::q:${queue}`,
    base: (queue) => `${prefix}:${queue}:`,
    account: (account) => `${prefix}::a:${account}`,
    windows: (account) => `${prefix}::win:${account}`,
    group: (group) => `${prefix}::g:${group}`,
    config: `${prefix}::conf`,
    queues: `${prefix}::queues`,
    accounts: `${prefix}::accounts`,
    calendars: `${prefix}::calendars`,
    upkeep: `${prefix}::upkeep`,
    recounted: `${prefix}::upkeep:recounted`,
    workers: (queue) => `${prefix}::q:${queue}:w`,
    pauses: `${prefix}::pauses`,
  };
}

/** The queue's own key from BullMQ's key prefix of it (`P:Q:` gives `P::q:Q`). */
export function ownKeyOfBase(base: string): string {
  const end = base.length - 1;
  const colon = base.lastIndexOf(':', end - 1);
  return `${base.slice(0, colon)}::q:${base.slice(colon + 1, end)}`;
}
