import { Queue, UnrecoverableError, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { createLaneBackend, createLanes, type Lanes } from '../../src/index.js';
import type { ClaimSpan } from '../../src/invariants.js';
import { handDriven, loseLock, recoverStalled } from './by-hand.js';
import { countedClaims } from './gate-record.js';
import { LaneModel } from './lane-model.js';
import { ModelHistory } from './model-history.js';
import { ModelSettings } from './model-settings.js';
import { ACCOUNTS, GROUPS, QUEUES, type Step } from './model-steps.js';

const MINUTE_MS = 60_000;
/** Ahead of the real time, since BullMQ computes some due times by the process's own clock. */
const AHEAD_MS = 60 * MINUTE_MS;
/** A run begins so long before a full minute, at which windows open and close. */
const BEFORE_EDGE_MS = 2_000;

/** One run: the real lanes and the model take the same steps. */
export class ModelRun {
  /** The full minute that this run is about to reach. */
  private readonly edge = Math.ceil((Date.now() + AHEAD_MS) / MINUTE_MS);
  private readonly model = new LaneModel(this.edge * MINUTE_MS - BEFORE_EDGE_MS);
  private readonly history = new ModelHistory();
  private readonly queues = new Map<string, Queue>();
  private readonly lanes: Lanes;
  private readonly settings: ModelSettings;
  private readonly active: { job: Job; claim: ClaimSpan }[] = [];
  private tokens = 0;

  constructor(
    private readonly client: Redis,
    private readonly prefix: string,
  ) {
    const clock = (): number => this.model.nowMs;
    const backend = createLaneBackend({ groups: { email: {} }, clock, upkeep: false });
    for (const name of QUEUES) {
      this.queues.set(name, new Queue(name, handDriven(client, prefix), backend));
    }
    this.lanes = createLanes({ connection: client, prefix, clock });
    this.settings = new ModelSettings(this.lanes, this.model, this.history, this.edge);
  }

  /** Queues declare their groups when they connect, which would undo a total that was set before. */
  async ready(): Promise<void> {
    await Promise.all([...this.queues.values()].map(async (each) => each.waitUntilReady()));
    await this.client.ping();
  }

  async step(each: Step): Promise<void> {
    const { model } = this;
    switch (each.do) {
      case 'add':
        await this.add(each);
        break;
      case 'take':
        for (let at = 0; at < each.count; at += 1) {
          await this.take(each.queue);
        }
        break;
      case 'turn':
        await this.turn(each.pick, each.count);
        break;
      case 'advance':
        model.advance(each.ms);
        for (const name of QUEUES) {
          await this.lanes.queueCounts(name);
        }
        break;
      case 'audit':
        expect(await this.lanes.audit({ patienceMs: 0 })).toMatchObject({
          claimsFreed: 0,
          claimsAdded: 0,
          countsCorrected: 0,
          lanesOpened: 0,
        });
        break;
      case 'remove':
        await this.remove(each.pick);
        break;
      case 'limit':
      case 'total':
      case 'weight':
      case 'window':
      case 'close':
      case 'pause':
      case 'resume':
        await this.settings.change(each);
        break;
      default:
        await this.end(each);
    }
    this.noteEligible();
  }

  private async add(each: Step & { do: 'add' }): Promise<void> {
    const { queue, account, group, count, cost, priority } = each;
    const opts = { attempts: 1_000, priority, lane: { account, group, cost } };
    const jobs = await this.queues
      .get(queue)!
      .addBulk(Array.from({ length: count }, () => ({ name: account, data: {}, opts })));
    for (const job of jobs) {
      this.model.add({ id: `${queue}/${job.id!}`, queue, account, group, cost, priority });
    }
  }

  private noteEligible(): void {
    for (const name of QUEUES) {
      this.history.eligibleNow(name, new Set(this.model.mustRun(name).map((job) => job.account)));
    }
  }

  private async take(name: string): Promise<void> {
    this.tokens += 1;
    const token = `token-${this.tokens}`;
    const reply = await this.queues.get(name)!.getBackend().moveToActive(token, undefined);
    await this.handedOut(name, token, reply);
  }

  /** Jobs of one queue that end in one turn of the event loop, as they do in a busy worker, each taking the next. */
  private async turn(chosen: number, count: number): Promise<void> {
    const name = this.active[chosen % Math.max(this.active.length, 1)]?.job.queueName;
    const ending = this.active.filter(({ job }) => job.queueName === name).slice(0, count);
    const fails = (at: number): boolean => (chosen + at) % 3 === 0;
    // Past the jobs' own methods, which differ in how many steps they take before they send.
    const replies = await Promise.all(
      ending.map(async ({ job }, at) => {
        const backend = this.queues.get(name!)!.getBackend();
        const { result } = await (fails(at)
          ? backend.moveToFailed(job, 'no', false, job.token!, true)
          : backend.moveToCompleted(job, 'done', false, job.token!, true));
        return result as unknown;
      }),
    );
    for (const [at, { job, claim }] of ending.entries()) {
      this.active.splice(
        this.active.findIndex((each) => each.claim === claim),
        1,
      );
      claim.to = this.model.nowMs;
      this.model.end(claim.jobId, fails(at) ? 'failed' : 'completed');
      this.noteEligible();
      await this.handedOut(name!, job.token!, replies[at]);
    }
  }

  private async handedOut(name: string, token: string, reply: unknown): Promise<void> {
    const { model } = this;
    const [data, id] = (reply ?? []) as [unknown?, string?];
    if (!data || id === undefined) {
      const left = model.mustRun(name).map((job) => job.id);
      expect(left, `R9: nothing was handed out of ${name}`).toEqual([]);
      return;
    }
    const key = `${name}/${id}`;
    const eligible = model.eligible(name).map((each) => each.id);
    expect(eligible, `R1, R3, R4, R5: ${key} was handed out`).toContain(key);
    model.take(key);
    const job = (await this.queues.get(name)!.getJob(id))!;
    job.token = token;
    this.active.push({ job, claim: this.history.admitted(model.jobs.get(key)!, model.nowMs) });
    this.noteEligible();
  }

  private async remove(chosen: number): Promise<void> {
    const waiting = [...this.model.jobs.values()].filter((job) => job.state === 'waiting');
    const job = waiting[chosen % Math.max(waiting.length, 1)];
    if (job) {
      await this.queues.get(job.queue)!.remove(job.id.split('/')[1]!);
      this.model.remove(job.id);
    }
  }

  private async end(each: Step & { pick: number }): Promise<void> {
    const index = each.pick % Math.max(this.active.length, 1);
    const [taken] = this.active.splice(index, 1);
    if (!taken) {
      return;
    }
    const { job, claim } = taken;
    const { model } = this;
    // A claim that ends at this very moment no longer counts at it.
    claim.to = model.nowMs;
    const id = claim.jobId;
    switch (each.do) {
      case 'complete':
        await job.moveToCompleted('done', job.token!, false);
        model.end(id, 'completed');
        break;
      case 'fail':
        await job.moveToFailed(new UnrecoverableError('no'), job.token!, false);
        model.end(id, 'failed');
        break;
      case 'retry':
        await job.moveToFailed(new Error('again'), job.token!, false);
        model.putBack(id, 'back');
        break;
      case 'giveBack':
        await job.moveToWait(job.token!);
        model.putBack(id, 'front');
        break;
      case 'delay':
        await this.queues
          .get(job.queueName)!
          .getBackend()
          .moveToDelayed(job.id!, Date.now(), each.ms, job.token!);
        model.delay(id, model.nowMs + each.ms);
        break;
      default: {
        await loseLock(this.client, this.prefix, job);
        const queue = this.queues.get(job.queueName)!;
        expect(await recoverStalled(this.client, this.prefix, queue)).toEqual([job.id]);
        // BullMQ puts a stalled job into its wait list, whatever its priority.
        model.putBack(id, 'front', 0);
      }
    }
  }

  async check(): Promise<void> {
    const { model } = this;
    for (const name of QUEUES) {
      const counts = await this.lanes.queueCounts(name);
      expect({ ...counts, waiting: counts.ready + counts.held }).toMatchObject({
        waiting: model.count(name, 'waiting'),
        active: model.count(name, 'active'),
        delayed: model.count(name, 'delayed'),
        completed: model.count(name, 'completed'),
        failed: model.count(name, 'failed'),
      });
    }
    this.history.check();
    await this.drainAll();
  }

  /** R1, R11: with every limit gone, all that is left runs; nothing stays behind. */
  private async drainAll(): Promise<void> {
    const { model } = this;
    await this.settings.clear();
    model.advance(10_000);
    for (const name of QUEUES) {
      await this.lanes.queueCounts(name);
      while (model.count(name, 'waiting') > 0) {
        const before = model.count(name, 'waiting');
        await this.take(name);
        expect(model.count(name, 'waiting'), 'a waiting job was handed out').toBe(before - 1);
      }
    }
    for (const { job } of this.active) {
      await job.moveToCompleted('done', job.token!, false);
    }
    for (const its of ACCOUNTS) {
      for (const in_ of GROUPS) {
        expect(await countedClaims(this.client, this.prefix, its, in_)).toBe(0);
      }
    }
    for (const name of QUEUES) {
      await this.take(name);
      expect(await this.client.hlen(`${this.prefix}::q:${name}:k`)).toBe(0);
      const left = await this.client.keys(`${this.prefix}::q:${name}:[rhlpcst]*`);
      expect(left).toEqual([]);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.queues.values()].map(async (each) => each.close()));
    const keys = await this.client.keys(`${this.prefix}*`);
    if (keys.length > 0) {
      await this.client.unlink(...keys);
    }
  }
}
