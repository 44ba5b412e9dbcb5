import { GateModel } from './gate-model.js';

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

export class LaneModel {
  readonly jobs = new Map<string, ModelJob>();
  /** Ids of each lane in the order they must be served. */
  private readonly order = new Map<string, string[]>();
  readonly gates = new GateModel((group, account) => this.inFlight(group, account));
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

  private inFlight(group: string, account?: string): number {
    return [...this.jobs.values()].filter(
      (job) =>
        job.state === 'active' && job.group === group && (account === undefined || job.account === account),
    ).length;
  }

  /**
   * The jobs of a queue whose own gates are open: the first of every lane, or any of the first ones
   * where several were put in front of one priority, since BullMQ keeps no order there.
   */
  private open(queue: string): ModelJob[] {
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
        .filter((job) => this.gates.isGateOpen(job.account, job.group, job.cost, this.nowMs));
    });
  }

  private isTotalOpen(job: ModelJob): boolean {
    return this.gates.isTotalOpen(job.group, job.cost, this.nowMs);
  }

  /** The jobs of a queue that may be handed out now. */
  eligible(queue: string): ModelJob[] {
    return this.open(queue).filter((job) => this.isTotalOpen(job));
  }

  /** R9: those of which one must be, while a slot is free. None need pass a job that the total has too few tokens for. */
  mustRun(queue: string): ModelJob[] {
    const open = this.open(queue);
    const short = new Set(open.filter((job) => !this.isTotalOpen(job)).map((job) => job.group));
    return open.filter((job) => !short.has(job.group));
  }

  take(id: string): void {
    const job = this.jobs.get(id)!;
    const ids = this.lane(job);
    ids.splice(ids.indexOf(id), 1);
    job.state = 'active';
    this.gates.spend(job.account, job.group, job.cost, this.nowMs);
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

  count(queue: string, state: ModelJob['state']): number {
    return [...this.jobs.values()].filter((job) => job.queue === queue && job.state === state).length;
  }
}
