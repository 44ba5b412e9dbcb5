import { Queue, UnrecoverableError, type Job } from 'bullmq';
import { useRedis } from '@fairlane/testkit/vitest';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLaneBackend, createLanes, type Lanes, type Limits } from './index.js';
import {
  checkFairness,
  checkInFlight,
  checkRate,
  type Admission,
  type ClaimSpan,
  type FairnessEvent,
  type LimitPeriod,
} from './invariants.js';
import { countedClaims } from './testing-support/gate-record.js';
import { LaneModel, type ModelJob } from './testing-support/lane-model.js';

/** Runs of each property; `LANES_RUNS` and `LANES_SEED` repeat or lengthen them. */
const RUNS = Number(process.env['LANES_RUNS'] ?? 60);
const SEED = Number(process.env['LANES_SEED'] ?? Date.now() % 2 ** 31);

const redis = useRedis();
const ACCOUNTS = ['A', 'B', 'C'];
const GROUPS = ['default', 'email'];
const QUEUES = ['one', 'two'];
/** Ahead of the real time, since BullMQ computes some due times by the process's own clock. */
const START_AHEAD_MS = 3_600_000;

type Step =
  | {
      do: 'add';
      queue: string;
      account: string;
      group: string;
      count: number;
      cost: number;
      priority: number;
    }
  | { do: 'take'; queue: string; count: number }
  | { do: 'complete' | 'fail' | 'retry' | 'giveBack' | 'stall'; pick: number }
  | { do: 'turn'; pick: number; count: number }
  | { do: 'delay'; pick: number; ms: number }
  | { do: 'remove'; pick: number }
  | { do: 'limit'; account: string; group: string; limits: Limits | undefined }
  | { do: 'close'; account: string; group: string; ms: number }
  | { do: 'pause' | 'resume'; account: string }
  | { do: 'advance'; ms: number }
  | { do: 'audit' };

const account = fc.constantFrom(...ACCOUNTS);
const group = fc.constantFrom(...GROUPS);
const queue = fc.constantFrom(...QUEUES);
const pick = fc.nat(1_000);
const limits = fc.constantFrom<Limits | undefined>(
  { limit: 1, perMs: 100, burst: 1 },
  { limit: 2, perMs: 100, burst: 5 },
  { limit: 1, perMs: 1_000, burst: 3 },
  { maxInFlight: 1 },
  { maxInFlight: 2, limit: 1, perMs: 50, burst: 4 },
  undefined,
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      queue,
      account,
      group,
      count: fc.integer({ min: 1, max: 4 }),
      cost: fc.constantFrom(1, 1, 1, 2),
      priority: fc.constantFrom(0, 0, 0, 1, 2),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('take' as const), queue, count: fc.integer({ min: 1, max: 6 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'complete' as const,
        'fail' as const,
        'retry' as const,
        'giveBack' as const,
        'stall' as const,
      ),
      pick,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('turn' as const), pick, count: fc.integer({ min: 1, max: 6 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('delay' as const), pick, ms: fc.integer({ min: 1, max: 400 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('limit' as const), account, group, limits }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('close' as const),
      account,
      group,
      ms: fc.integer({ min: 1, max: 500 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const), account }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 300 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('audit' as const) }) },
);

let client: Redis;
let runs = 0;

beforeAll(() => {
  client = new Redis(redis.url, { maxRetriesPerRequest: null });
});
afterAll(() => {
  client.disconnect();
});

/** One run: the real lanes and the model take the same steps. */
class Run {
  private readonly model = new LaneModel(Date.now() + START_AHEAD_MS);
  private readonly queues = new Map<string, Queue>();
  private readonly lanes: Lanes;
  private readonly active: { job: Job; claim: ClaimSpan }[] = [];
  private readonly admissions: Admission[] = [];
  private readonly claims: (ClaimSpan & { gate: string })[] = [];
  private readonly periods = new Map<string, LimitPeriod[]>();
  private readonly fairness = new Map<string, FairnessEvent[]>(QUEUES.map((name) => [name, []]));
  private readonly wasEligible = new Map<string, Set<string>>(QUEUES.map((name) => [name, new Set()]));
  private readonly prefix: string;
  private tokens = 0;

  constructor() {
    runs += 1;
    this.prefix = `{run-${runs}}`;
    const clock = (): number => this.model.nowMs;
    const backend = createLaneBackend({ groups: { email: {} }, clock, upkeep: false });
    for (const name of QUEUES) {
      const opts = {
        connection: client,
        prefix: this.prefix,
        lockDuration: 60_000,
        maxStalledCount: 1_000,
        stalledInterval: 1,
      };
      this.queues.set(name, new Queue(name, opts, backend));
    }
    this.lanes = createLanes({ connection: client, prefix: this.prefix, clock });
  }

  async step(each: Step): Promise<void> {
    const { model } = this;
    switch (each.do) {
      case 'add': {
        const { queue: name, account: its, group: in_, count, cost, priority } = each;
        const opts = { attempts: 1_000, priority, lane: { account: its, group: in_, cost } };
        const jobs = await this.queues
          .get(name)!
          .addBulk(Array.from({ length: count }, () => ({ name: its, data: {}, opts })));
        for (const job of jobs) {
          model.add({ id: `${name}/${job.id!}`, queue: name, account: its, group: in_, cost, priority });
        }
        break;
      }
      case 'take':
        for (let at = 0; at < each.count; at += 1) {
          await this.take(each.queue);
        }
        break;
      case 'turn':
        await this.turn(each.pick, each.count);
        break;
      case 'limit': {
        const { account: its, group: in_ } = each;
        await (each.limits ? this.lanes.setLimits(its, in_, each.limits) : this.lanes.removeLimits(its, in_));
        model.setLimits(its, in_, each.limits);
        const key = `${in_}:${its}`;
        this.periods.set(key, [
          ...(this.periods.get(key) ?? [{ from: 0 }]),
          { from: model.nowMs, ...each.limits },
        ]);
        break;
      }
      case 'close':
        await this.lanes.closeGateFor(each.account, each.group, each.ms);
        model.close(each.account, each.group, model.nowMs + each.ms);
        break;
      case 'pause':
        await this.lanes.pause(each.account, 'test');
        model.paused.add(each.account);
        break;
      case 'resume':
        await this.lanes.resume(each.account, 'test');
        model.paused.delete(each.account);
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
      default:
        await this.end(each);
    }
    this.noteEligible();
  }

  private noteEligible(): void {
    for (const name of QUEUES) {
      const now = new Set(this.model.eligible(name).map((job) => job.account));
      const before = this.wasEligible.get(name)!;
      const events = this.fairness.get(name)!;
      for (const its of ACCOUNTS) {
        if (now.has(its) !== before.has(its)) {
          events.push({ kind: now.has(its) ? 'eligible' : 'ineligible', account: its });
        }
      }
      this.wasEligible.set(name, now);
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
    const eligible = model.eligible(name);
    const [data, id] = (reply ?? []) as [unknown?, string?];
    if (!data || id === undefined) {
      expect(
        eligible.map((job) => job.id),
        `R9: nothing was handed out of ${name}`,
      ).toEqual([]);
      return;
    }
    const key = `${name}/${id}`;
    expect(
      eligible.map((job) => job.id),
      `${key} was handed out`,
    ).toContain(key);
    const its: ModelJob = model.jobs.get(key)!;
    model.take(key);
    const job = (await this.queues.get(name)!.getJob(id))!;
    job.token = token;
    const claim = { jobId: key, from: model.nowMs, to: Infinity, gate: `${its.group}:${its.account}` };
    this.claims.push(claim);
    this.active.push({ job, claim });
    this.admissions.push({
      at: model.nowMs,
      account: its.account,
      group: its.group,
      jobId: key,
      cost: its.cost,
    });
    this.fairness.get(name)!.push({ kind: 'served', account: its.account, cost: its.cost });
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
        await job.moveToDelayed(model.nowMs + each.ms, job.token!);
        model.delay(id, model.nowMs + each.ms);
        break;
      default: {
        const backend = this.queues.get(job.queueName)!.getBackend();
        await client.del(`${this.prefix}:${job.queueName}:${job.id!}:lock`);
        const recovered: string[] = [];
        for (let check = 0; check < 2; check += 1) {
          await client.del(`${this.prefix}:${job.queueName}:stalled-check`);
          recovered.push(...(await backend.moveStalledJobsToWait()));
        }
        expect(recovered).toEqual([job.id]);
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
      expect(checkFairness(this.fairness.get(name)!, new Map(ACCOUNTS.map((its) => [its, 1])))).toEqual([]);
    }
    for (const [gate, periods] of this.periods) {
      const of = this.admissions.filter((each) => `${each.group}:${each.account}` === gate);
      expect(checkRate(of, periods)).toEqual([]);
      expect(
        checkInFlight(
          this.claims.filter((each) => each.gate === gate),
          periods,
        ),
      ).toEqual([]);
    }
    await this.drainAll();
  }

  /** R1, R11: with every limit gone, all that is left runs; nothing stays behind. */
  private async drainAll(): Promise<void> {
    const { model } = this;
    for (const its of ACCOUNTS) {
      model.paused.delete(its);
      await this.lanes.resume(its, 'test');
      for (const in_ of GROUPS) {
        await this.lanes.removeLimits(its, in_);
        model.setLimits(its, in_, undefined);
      }
    }
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
        expect(await countedClaims(client, this.prefix, its, in_)).toBe(0);
      }
    }
    for (const name of QUEUES) {
      await this.take(name);
      expect(await client.hlen(`${this.prefix}::q:${name}:k`)).toBe(0);
      const left = await client.keys(`${this.prefix}::q:${name}:[rhlpcst]*`);
      expect(left).toEqual([]);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.queues.values()].map(async (each) => each.close()));
    const keys = await client.keys(`${this.prefix}*`);
    if (keys.length > 0) {
      await client.unlink(...keys);
    }
  }
}

describe('lanes against a simple model', () => {
  it(`R1, R3, R4, R6, R9, R11: any sequence of steps (seed ${SEED}, ${RUNS} runs)`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const run = new Run();
        try {
          for (const each of steps) {
            await run.step(each);
          }
          await run.check();
        } finally {
          await run.close();
        }
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: false },
    );
  }, 600_000);
});
