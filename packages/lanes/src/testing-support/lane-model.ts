import type { Limits } from '../limits.js';

/** A plain account of what lanes must do, with none of their data structures. */

export interface ModelJob {
  id: string;
  queue: string;
  account: string;
  group: string;
  cost: number;
  priority: number;
  /** Its priority as it waits now, and whether it was put in front of that priority. */
  rank: number;
  front: boolean;
  state: 'waiting' | 'active' | 'delayed' | 'completed' | 'failed' | 'removed';
  /** When a delayed job is due, and its place among those due at once. */
  dueMs: number;
  dueOrder: number;
}

interface Bucket {
  limits: Limits;
  tokens: number;
  atMs: number;
}

const burstOf = (limits: Limits): number => limits.burst ?? Math.max(limits.limit ?? 0, 1);

export class LaneModel {
  readonly jobs = new Map<string, ModelJob>();
  /** Ids of each lane in the order they must be served. */
  private readonly order = new Map<string, string[]>();
  private readonly buckets = new Map<string, Bucket>();
  private readonly closedUntil = new Map<string, number>();
  readonly paused = new Set<string>();
  private dueCount = 0;

  constructor(public nowMs: number) {}

  private lane(job: ModelJob): string[] {
    const key = JSON.stringify([job.queue, job.group, job.account]);
    let ids = this.order.get(key);
    if (!ids) {
      ids = [];
      this.order.set(key, ids);
    }
    return ids;
  }

  private gateKey(account: string, group: string): string {
    return `${group}:${account}`;
  }

  /** Behind the jobs of its priority, or before them. */
  private enqueue(job: ModelJob, where: 'back' | 'front', rank = job.priority): void {
    Object.assign(job, { state: 'waiting', rank, front: where === 'front' });
    const ids = this.lane(job);
    const at = ids.findIndex((id) => {
      const other = this.jobs.get(id)!;
      return where === 'front' ? other.rank >= rank : other.rank > rank;
    });
    ids.splice(at === -1 ? ids.length : at, 0, job.id);
  }

  add(job: Omit<ModelJob, 'state' | 'dueMs' | 'dueOrder' | 'rank' | 'front'>): void {
    const added: ModelJob = { ...job, rank: 0, front: false, state: 'waiting', dueMs: 0, dueOrder: 0 };
    this.jobs.set(job.id, added);
    this.enqueue(added, 'back');
  }

  private refill(bucket: Bucket): void {
    const { limit, perMs } = bucket.limits;
    if (limit !== undefined) {
      bucket.tokens = Math.min(
        burstOf(bucket.limits),
        bucket.tokens + ((this.nowMs - bucket.atMs) * limit) / perMs!,
      );
    }
    bucket.atMs = this.nowMs;
  }

  inFlight(account: string, group: string): number {
    return [...this.jobs.values()].filter(
      (job) => job.state === 'active' && job.account === account && job.group === group,
    ).length;
  }

  isOpen(account: string, group: string, cost: number): boolean {
    if (this.paused.has(account)) {
      return false;
    }
    const key = this.gateKey(account, group);
    if ((this.closedUntil.get(key) ?? 0) > this.nowMs) {
      return false;
    }
    const bucket = this.buckets.get(key);
    if (!bucket) {
      return true;
    }
    this.refill(bucket);
    const { limit, maxInFlight } = bucket.limits;
    if (maxInFlight !== undefined && this.inFlight(account, group) >= maxInFlight) {
      return false;
    }
    return limit === undefined || bucket.tokens + 1e-9 >= Math.min(cost, burstOf(bucket.limits));
  }

  /**
   * The jobs of a queue that may be handed out now: the first of every open lane, or any of the
   * first ones where several were put in front of one priority, since BullMQ keeps no order there.
   */
  eligible(queue: string): ModelJob[] {
    return [...this.order.entries()].flatMap(([key, ids]) => {
      const [its] = JSON.parse(key) as [string];
      const first = ids[0] === undefined ? undefined : this.jobs.get(ids[0])!;
      if (!first || its !== queue) {
        return [];
      }
      const tied = first.front && first.rank > 0;
      return ids
        .map((id) => this.jobs.get(id)!)
        .filter((job) => job === first || (tied && job.front && job.rank === first.rank))
        .filter((job) => this.isOpen(job.account, job.group, job.cost));
    });
  }

  take(id: string): void {
    const job = this.jobs.get(id)!;
    const ids = this.lane(job);
    ids.splice(ids.indexOf(id), 1);
    job.state = 'active';
    const bucket = this.buckets.get(this.gateKey(job.account, job.group));
    if (bucket?.limits.limit !== undefined) {
      this.refill(bucket);
      bucket.tokens -= Math.min(job.cost, burstOf(bucket.limits));
    }
  }

  end(id: string, state: 'completed' | 'failed'): void {
    this.jobs.get(id)!.state = state;
  }

  putBack(id: string, where: 'back' | 'front', rank?: number): void {
    this.enqueue(this.jobs.get(id)!, where, rank);
  }

  delay(id: string, dueMs: number): void {
    const job = this.jobs.get(id)!;
    this.dueCount += 1;
    Object.assign(job, { state: 'delayed', dueMs, dueOrder: this.dueCount });
  }

  remove(id: string): void {
    const job = this.jobs.get(id)!;
    const ids = this.lane(job);
    ids.splice(ids.indexOf(id), 1);
    job.state = 'removed';
  }

  /** Jobs that are due go to the front: the earliest due is next. */
  advance(ms: number): void {
    this.nowMs += ms;
    const due = [...this.jobs.values()]
      .filter((job) => job.state === 'delayed' && job.dueMs <= this.nowMs)
      .toSorted((one, other) => other.dueMs - one.dueMs || other.dueOrder - one.dueOrder);
    for (const job of due) {
      this.enqueue(job, 'front');
    }
  }

  setLimits(account: string, group: string, limits: Limits | undefined): void {
    const key = this.gateKey(account, group);
    const before = this.buckets.get(key);
    if (!limits) {
      this.buckets.delete(key);
      return;
    }
    let spent = 0;
    if (before?.limits.limit !== undefined) {
      this.refill(before);
      spent = burstOf(before.limits) - before.tokens;
    }
    const burst = burstOf(limits);
    this.buckets.set(key, { limits, tokens: burst - Math.min(spent, burst), atMs: this.nowMs });
  }

  close(account: string, group: string, untilMs: number): void {
    const key = this.gateKey(account, group);
    this.closedUntil.set(key, Math.max(this.closedUntil.get(key) ?? 0, untilMs));
  }

  count(queue: string, state: ModelJob['state']): number {
    return [...this.jobs.values()].filter((job) => job.queue === queue && job.state === state).length;
  }
}
