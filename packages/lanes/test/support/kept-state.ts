import type { Redis } from 'ioredis';
import { decodeGate } from './gate-record.js';
import { readQueueState } from './queue-state.js';

/** Claims by what counts them: `<group>:<account>` for a gate, `<group>` for a total. What counts none is left out. */
export type ClaimCounts = Record<string, number>;

/** Where a claim's record says what counts it, and its lane; see `lua/includes/claims.lua`. */
const KINDS_AT = 64;
const LANE_AT = 65;
const KINDS = { gate: '1', total: '2' } as const;

/** Jobs of priority 0 in the lanes, and jobs of open lanes; `n` and `e` in `lua/includes/context.lua`. */
export interface LaneCounts {
  waiting: number;
  eligible: number;
}

/** One queue, as its lists and claims are. */
export interface QueueContent {
  lanes: LaneCounts;
  /** Ids by state. */
  waiting: string[];
  active: string[];
  delayed: string[];
  /** Ids of jobs that have a claim. */
  claimed: string[];
}

/** Reads what the scripts keep past all of their code, so that a count can be compared with what it counts. */
export class KeptState {
  constructor(
    private readonly client: Redis,
    private readonly prefix: string,
    private readonly queues: readonly string[],
    private readonly groups: readonly string[],
  ) {}

  /** Claims as gates and totals have counted them. */
  async countedClaims(): Promise<ClaimCounts> {
    const { client, prefix } = this;
    const counts: ClaimCounts = {};
    await Promise.all(
      this.groups.map(async (group) => {
        const [gates, total] = await Promise.all([
          client.hgetallBuffer(`${prefix}::gates:${group}`),
          client.hget(`${prefix}::g:${group}`, 'tn'),
        ]);
        for (const [account, record] of Object.entries(gates)) {
          counts[`${group}:${account}`] = decodeGate(record).n;
        }
        counts[group] = Number(total ?? 0);
      }),
    );
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
  }

  /** Claims that there are, over all queues, by what was to count them. */
  async existingClaims(): Promise<ClaimCounts> {
    const counts: ClaimCounts = {};
    const count = (by: string): void => {
      counts[by] = (counts[by] ?? 0) + 1;
    };
    const records = await Promise.all(
      this.queues.map(async (queue) => this.client.hvals(`${this.prefix}::q:${queue}:k`)),
    );
    for (const record of records.flat()) {
      const kinds = record[KINDS_AT];
      const lane = record.slice(LANE_AT);
      if (kinds !== KINDS.total) {
        count(lane);
      }
      if (kinds !== KINDS.gate) {
        count(lane.slice(0, lane.indexOf(':')));
      }
    }
    return counts;
  }

  /** The counts that a queue keeps of its lanes; none before its first job. */
  async countedLanes(queue: string): Promise<LaneCounts> {
    const state = await readQueueState(this.client, this.prefix, queue);
    return { waiting: state?.n ?? 0, eligible: state?.e ?? 0 };
  }

  async content(queue: string): Promise<QueueContent> {
    const { client, prefix } = this;
    const [active, delayed, claimed, ...lanes] = await Promise.all([
      client.lrange(`${prefix}:${queue}:active`, 0, -1),
      client.zrange(`${prefix}:${queue}:delayed`, '0', '-1'),
      client.hkeys(`${prefix}::q:${queue}:k`),
      ...this.groups.flatMap((group) => [this.lanes(queue, group, 'r'), this.lanes(queue, group, 'h')]),
    ]);
    const found: QueueContent = {
      lanes: { waiting: 0, eligible: 0 },
      waiting: [],
      active,
      delayed,
      claimed,
    };
    for (const { isOpen, listed, prioritized } of lanes.flat()) {
      found.lanes.waiting += listed.length;
      found.lanes.eligible += isOpen ? listed.length + prioritized.length : 0;
      found.waiting.push(...listed, ...prioritized);
    }
    return found;
  }

  /** Jobs of the lanes of a group that are ready (`r`) or held (`h`). */
  private async lanes(
    queue: string,
    group: string,
    set: 'r' | 'h',
  ): Promise<{ isOpen: boolean; listed: string[]; prioritized: string[] }[]> {
    const { client } = this;
    const own = `${this.prefix}::q:${queue}`;
    const accounts = await client.zrange(`${own}:${set}:${group}`, '0', '-1');
    return Promise.all(
      accounts.map(async (account) => {
        const [listed, prioritized] = await Promise.all([
          client.lrange(`${own}:l:${group}:${account}`, 0, -1),
          client.zrange(`${own}:p:${group}:${account}`, '0', '-1'),
        ]);
        return { isOpen: set === 'r', listed, prioritized };
      }),
    );
  }
}
