import { Queue, Worker, type Job } from 'bullmq';
import {
  createLaneBackend,
  createLanes,
  type LaneBackendOptions,
  type LaneOptions,
  type Lanes,
} from '../../src/index.js';
import { jobOf, loseLock, recoverStalled } from './by-hand.js';

/** What a test file's `useRedis()` gives. */
interface Redis {
  readonly url: string;
  readonly prefix: string;
}

/** Enough that what is asked for in one turn shares a call. */
export const SLOTS = 64;

/** A queue, a worker driven by hand and the settings, all on one clock that the test moves. */
export class LaneBench {
  nowMs = Date.now();
  readonly queue: Queue;
  readonly worker: Worker;
  readonly lanes: Lanes;
  readonly backend: ReturnType<typeof createLaneBackend>;
  readonly prefix: string;
  readonly connection: { url: string };
  readonly name: string;
  private tokens = 0;
  private readonly others: { close(): Promise<unknown> }[] = [];

  constructor(redis: Redis, options: LaneBackendOptions = {}, name = 'queue') {
    this.name = name;
    this.prefix = redis.prefix;
    this.connection = { url: redis.url };
    const clock = (): number => this.nowMs;
    this.backend = createLaneBackend({ upkeep: false, clock, ...options });
    const { connection, prefix } = this;
    this.queue = new Queue(name, { connection, prefix }, this.backend);
    this.worker = new Worker(
      name,
      async () => undefined,
      { connection, prefix, autorun: false, maxStalledCount: 100, stalledInterval: 1, concurrency: SLOTS },
      this.backend,
    );
    this.lanes = createLanes({ connection: redis.url, prefix, clock });
  }

  /** Another queue of the prefix with its worker, on the same clock. */
  another(name: string): { queue: Queue; worker: Worker } {
    const { connection, prefix } = this;
    const queue = new Queue(name, { connection, prefix }, this.backend);
    const worker = new Worker(
      name,
      async () => undefined,
      { connection, prefix, autorun: false },
      this.backend,
    );
    this.others.push(queue, worker);
    return { queue, worker };
  }

  /** Something of this bench that closes with it. */
  also<T extends { close(): Promise<unknown> }>(other: T): T {
    this.others.push(other);
    return other;
  }

  async add(account: string, count = 1, lane: Partial<LaneOptions> = {}, opts: object = {}): Promise<Job[]> {
    return this.queue.addBulk(
      Array.from({ length: count }, () => ({
        name: account,
        data: {},
        opts: { ...opts, lane: { account, ...lane } },
      })),
    );
  }

  /** The next job, as a worker would take it now; undefined when nothing may run. */
  async take(worker = this.worker): Promise<Job | undefined> {
    this.tokens += 1;
    const token = `token-${this.tokens}`;
    return jobOf(this.queueOf(worker), token, await worker.getBackend().moveToActive(token, undefined));
  }

  private queueOf(worker: Worker): Queue {
    const found = this.others.find(
      (each): each is Queue => each instanceof Queue && each.name === worker.name,
    );
    return worker === this.worker ? this.queue : found!;
  }

  async finish(job: Job): Promise<void> {
    await job.moveToCompleted('done', job.token!, false);
  }

  /** Names of the accounts of the next jobs, each finished at once. */
  async serve(count: number): Promise<string[]> {
    const names: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const job = await this.take();
      if (!job) {
        break;
      }
      names.push(job.name);
      await this.finish(job);
    }
    return names;
  }

  /** The worker of a job has died: its lock is gone, and two stalled checks see it. */
  async stall(client: { del(key: string): Promise<number> }, ...jobs: Job[]): Promise<void> {
    for (const job of jobs) {
      await loseLock(client, this.prefix, job);
    }
    await recoverStalled(client, this.prefix, this.worker);
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.others, this.worker, this.queue, this.lanes].map(async (each) => each.close()),
    );
  }
}

/** How often each name occurs. */
export function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) {
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
