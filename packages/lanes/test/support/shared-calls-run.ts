import { Queue, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { createLaneBackend, createLanes, type Lanes } from '../../src/index.js';
import type { GroupLimits, Limits } from '../../src/settings/limits.js';
import { handDriven, jobOf, loseLock, recoverStalled } from './by-hand.js';
import { Chance } from './chance.js';
import { KeptState } from './kept-state.js';

const QUEUES = ['one', 'two'];
/** Names that would be taken for another's if a key or a record were cut at the wrong place. */
const ACCOUNTS = ['A', 'A:b', 'default:A', 'ü x', '1', '-', 'x'.repeat(250)];
const LIMITED_FROM_THE_START = 5;
/** Gates that are full much of the time, and one that never is: claims end and are taken in different ways there. */
const LIMITS: Limits[] = [
  { maxInFlight: 1 },
  { maxInFlight: 3 },
  { maxInFlight: 50 },
  { maxInFlight: 8, limit: 20, perMs: 1_000 },
  { limit: 2, perMs: 500 },
];
const WEIGHTS = [0.001, 1, 3, 7, 1_000_000];
const PASSING_MS = [50, 400, 1_500];
const CLOSED_MS = 300;
const DELAY_MS = 500;

/** Most complete, as in a busy worker. */
const ENDINGS = ['complete', 'complete', 'complete', 'complete', 'fail', 'retry', 'delay'] as const;

/** How a running job is to end, all settled before anything is sent. */
interface End {
  job: Job;
  how: (typeof ENDINGS)[number];
  takesNext: boolean;
  isRemoved: boolean;
  hasLostItsLock: boolean;
}

/** One run: queues of which many jobs are added and end in one turn of the event loop, by chance. */
export class SharedCallsRun {
  private readonly chance: Chance;
  private readonly queues: Queue[];
  private readonly lanes: Lanes;
  private readonly kept: KeptState;
  private readonly groups: string[];
  /** Costs and priorities take an admission the long way, so most runs are without. */
  private readonly hasCosts: boolean;
  private readonly hasPriorities: boolean;
  private readonly running: Job[] = [];
  /** By queue: ids of the jobs that were added and have not ended. */
  private readonly unfinished = new Map(QUEUES.map((name) => [name, new Set<string>()]));
  private nowMs = Date.now();
  private tokens = 0;

  constructor(
    private readonly client: Redis,
    private readonly prefix: string,
    groups: Record<string, GroupLimits>,
    seed: number,
  ) {
    this.chance = new Chance(seed);
    this.groups = Object.keys(groups);
    this.hasCosts = this.chance.of(0.25);
    this.hasPriorities = this.chance.of(0.25);
    const clock = (): number => this.nowMs;
    const backend = createLaneBackend({ groups, clock, upkeep: false });
    this.queues = QUEUES.map((name) => new Queue(name, handDriven(client, prefix), backend));
    this.lanes = createLanes({ connection: client, prefix, clock });
    this.kept = new KeptState(client, prefix, QUEUES, this.groups);
  }

  async ready(): Promise<void> {
    await Promise.all(this.queues.map(async (queue) => queue.waitUntilReady()));
    for (const account of ACCOUNTS.slice(0, LIMITED_FROM_THE_START)) {
      await this.lanes.setLimits(account, this.groups[0]!, this.chance.oneOf(LIMITS));
    }
  }

  /** Something that happens, by its share of all. */
  private readonly shares: readonly [share: number, what: string, happen: () => Promise<unknown>][] = [
    [12, 'add', async () => this.add()],
    [10, 'take', async () => this.take()],
    [20, 'end', async () => this.end()],
    [4, 'advance', async () => this.advance()],
    [2, 'limit', async () => this.lanes.setLimits(this.account(), this.group(), this.chance.oneOf(LIMITS))],
    [1, 'weight', async () => this.lanes.setAccount(this.account(), { weight: this.chance.oneOf(WEIGHTS) })],
    [1, 'pause', async () => this.lanes.pause(this.account(), 'test')],
    [3, 'resume', async () => this.lanes.resume(this.account(), 'test')],
    [1, 'close', async () => this.lanes.closeGateFor(this.account(), this.group(), CLOSED_MS)],
  ];
  private readonly happenings = this.shares.flatMap(([share, what, happen]) =>
    Array.from({ length: share }, () => ({ what, happen })),
  );

  async steps(count: number): Promise<void> {
    for (let step = 1; step <= count; step += 1) {
      const { what, happen } = this.chance.oneOf(this.happenings);
      await happen();
      await this.check(`after step ${step}, ${what}`);
    }
  }

  private async check(when: string): Promise<void> {
    const { kept } = this;
    const [counted, existing] = await Promise.all([kept.countedClaims(), kept.existingClaims()]);
    expect(counted, `R4: claims as counted, ${when}`).toEqual(existing);
    for (const queue of QUEUES) {
      const [lanes, content] = await Promise.all([kept.countedLanes(queue), kept.content(queue)]);
      expect(lanes, `R1: jobs of the lanes of ${queue} as counted, ${when}`).toEqual(content.lanes);
      const { waiting, active, delayed, claimed } = content;
      expect(
        [...waiting, ...active, ...delayed].toSorted(),
        `R1: jobs of ${queue} that have not ended, ${when}`,
      ).toEqual([...this.unfinished.get(queue)!].toSorted());
      expect(
        claimed.filter((id) => !active.includes(id)),
        `R11: claims of ${queue} without a running job, ${when}`,
      ).toEqual([]);
    }
  }

  private async add(): Promise<void> {
    const queue = this.chance.oneOf(this.queues);
    const each = Array.from({ length: this.chance.between(3, 28) }, () => ({
      timestamp: this.nowMs,
      ...(this.hasPriorities && this.chance.of(0.1) && { priority: 3 }),
      ...(this.chance.of(0.1) && { delay: DELAY_MS }),
      lane: {
        account: this.account(),
        group: this.group(),
        ...(this.hasCosts && this.chance.of(0.1) && { cost: 2 }),
      },
    }));
    // By itself each, not as a bulk, which would be one transaction.
    const jobs = await Promise.all(each.map(async (opts) => queue.add('job', {}, opts)));
    for (const job of jobs) {
      this.unfinished.get(queue.name)!.add(job.id!);
    }
  }

  private async take(): Promise<void> {
    const queue = this.chance.oneOf(this.queues);
    for (let left = this.chance.between(2, 20); left > 0; left -= 1) {
      this.tokens += 1;
      const token = `token-${this.tokens}`;
      this.handedOut(queue, token, await queue.getBackend().moveToActive(token, undefined));
    }
  }

  private handedOut(queue: Queue, token: string, reply: unknown): void {
    const job = jobOf(queue, token, reply);
    if (job) {
      this.running.push(job);
    }
  }

  /** Jobs of both queues end in one turn, as they do in a busy worker; of some the lock is lost. */
  private async end(): Promise<void> {
    const ends = this.drawEnds();
    const lost = ends.filter((end) => end.hasLostItsLock);
    await this.loseLocks(lost.map((end) => end.job));
    if (this.chance.of(0.5)) {
      await this.recover();
    }
    const results = await Promise.allSettled(ends.map(async (end) => this.finish(end)));
    for (const [at, { job, how }] of ends.entries()) {
      const result = results[at]!;
      if (result.status === 'fulfilled') {
        if (how === 'complete' || how === 'fail') {
          this.unfinished.get(job.queueName)!.delete(job.id!);
        }
        this.handedOut(this.queueOf(job), job.token!, result.value);
      }
    }
    expect(
      ends.filter((_end, at) => results[at]!.status === 'rejected').map(({ job }) => job.id),
      'R1: a job ends only for the worker that holds its lock',
    ).toEqual(lost.map(({ job }) => job.id));
  }

  private drawEnds(): End[] {
    const losesLocks = this.chance.of(0.2);
    const jobs: Job[] = [];
    for (let left = this.chance.between(1, 40); left > 0 && this.running.length > 0; left -= 1) {
      jobs.push(...this.running.splice(this.chance.between(0, this.running.length - 1), 1));
    }
    return jobs.map((job) => ({
      job,
      how: this.chance.oneOf(ENDINGS),
      takesNext: this.chance.of(0.9),
      isRemoved: this.chance.of(0.2),
      hasLostItsLock: losesLocks && this.chance.of(0.1),
    }));
  }

  /** Past the jobs' own methods, which differ in how many steps they take before they send. */
  private async finish({ job, how, takesNext, isRemoved }: End): Promise<unknown> {
    const backend = this.queueOf(job).getBackend();
    const token = job.token!;
    switch (how) {
      case 'complete':
        return (await backend.moveToCompleted(job, 'done', isRemoved, token, takesNext)).result;
      case 'fail':
        return (await backend.moveToFailed(job, 'no', isRemoved, token, takesNext)).result;
      case 'retry':
        await backend.retryJob(job.id!, false, token);
        return undefined;
      default:
        await backend.moveToDelayed(job.id!, this.nowMs, DELAY_MS, token);
        return undefined;
    }
  }

  private async loseLocks(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) {
      await loseLock(this.client, this.prefix, job);
    }
  }

  private async recover(): Promise<void> {
    for (const queue of this.queues) {
      await recoverStalled(this.client, this.prefix, queue);
    }
  }

  private async advance(): Promise<void> {
    this.nowMs += this.chance.oneOf(PASSING_MS);
    for (const queue of QUEUES) {
      await this.lanes.queueCounts(queue);
    }
  }

  /** Every worker dies: what ran waits again and no claim is left, so the audit finds nothing to repair. */
  async die(): Promise<void> {
    await this.loseLocks(this.running.splice(0));
    await this.recover();
    await this.check('after every worker has died');
    expect(await this.kept.existingClaims(), 'R11: claims of dead workers').toEqual({});
    expect(await this.lanes.audit({ patienceMs: 0 }), 'R11: repairs').toEqual({
      claimsFreed: 0,
      claimsAdded: 0,
      countsCorrected: 0,
      lanesOpened: 0,
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.queues.map(async (queue) => queue.close()));
  }

  private queueOf(job: Job): Queue {
    return this.queues.find(({ name }) => name === job.queueName)!;
  }

  private account(): string {
    return this.chance.oneOf(ACCOUNTS);
  }

  private group(): string {
    return this.chance.oneOf(this.groups);
  }
}
