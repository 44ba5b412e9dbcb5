/**
 * Lanes under everything at once, on real timers: `SOAK_SEED` repeats the choices of a run (not how they meet in time),
 * `SOAK_SECONDS` says how long its random steps go on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { useRedis } from '@fairlane/testkit/vitest';
import { Queue, Worker, type Job } from 'bullmq';
import { expect, it, onTestFinished } from 'vitest';
import { createLaneBackend, createLanes, type AuditReport, type Limits } from '../src/index.js';
import { Chance } from './support/chance.js';

const SEED = Number(process.env['SOAK_SEED'] ?? Date.now() % 2 ** 31);
const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 60);
const ACCOUNTS = 300;
const WORKERS = 3;
const SLOTS = 32;
/** Jobs waiting beyond this are enough: the run has to come to its end. */
const MOST_WAITING = 3_000;
/** A job that could run may wait no longer while slots are free; far above R8's 50 ms, since the machine is busy. */
const LATE_MS = 3_000;
const ENDS_MS = 120_000;
const GROUPS = {
  email: { default: { maxInFlight: 4 } },
  crm: { default: { limit: 50, perMs: 1_000 }, total: { maxInFlight: 12 } },
};
const LIMITS: Limits[] = [
  { maxInFlight: 1 },
  { maxInFlight: 6 },
  { limit: 20, perMs: 500 },
  { maxInFlight: 3, limit: 40, perMs: 1_000, burst: 5 },
];
const NO_REPAIRS = { claimsFreed: 0, claimsAdded: 0, countsCorrected: 0, lanesOpened: 0 };

const redis = useRedis();

it(`R1, R8, R11: everything ends, on time, and nothing is left of it (seed ${SEED})`, async () => {
  const chance = new Chance(SEED);
  // Each of these takes an admission another way, so a run has some of them.
  const has = {
    groups: chance.of(0.5),
    costs: chance.of(0.4),
    priorities: chance.of(0.5),
    limits: chance.of(0.7),
  };
  const place = { connection: { url: redis.url }, prefix: redis.prefix };
  const repairs: AuditReport[] = [];
  const backend = createLaneBackend({
    ...(has.groups && { groups: GROUPS }),
    onRepair: (_queue, report) => repairs.push(report),
  });
  const queue = new Queue('queue', place, backend);
  const lanes = createLanes({ connection: redis.url, prefix: redis.prefix });
  const runs = new Map<string, number>();
  const ended: Worker[] = [];

  const run = async (job: Job<{ fails: number; takesMs: number }>): Promise<string> => {
    runs.set(job.id!, (runs.get(job.id!) ?? 0) + 1);
    await delay(job.data.takesMs);
    if (job.attemptsMade < job.data.fails) throw new Error('as the plan says');
    return 'done';
  };
  const startWorker = (): Worker => {
    const worker = new Worker(
      'queue',
      run,
      { ...place, concurrency: SLOTS, lockDuration: 2_000, stalledInterval: 500, maxStalledCount: 1_000 },
      backend,
    );
    // Of a worker that was closed by force: its finishes are refused.
    return worker.on('error', () => undefined);
  };
  const workers = Array.from({ length: WORKERS }, startWorker);
  onTestFinished(async () => {
    await Promise.all([...workers, queue, lanes].map(async (each) => each.close()));
  });

  /** Few accounts have most of the jobs. */
  const account = (): string => `a${Math.floor(ACCOUNTS * (chance.between(0, 999) / 1_000) ** 3)}`;
  const group = (): string => (has.groups ? chance.oneOf(['default', 'email', 'crm']) : 'default');
  const ids: string[] = [];

  const add = async (): Promise<void> => {
    if ((await queue.getWaitingCount()) > MOST_WAITING) return;
    const owner = chance.of(0.3) ? account() : undefined;
    const each = Array.from({ length: chance.between(1, 80) }, () => ({
      attempts: 4,
      backoff: { type: 'fixed', delay: chance.between(1, 800) },
      ...(has.priorities && chance.of(0.2) && { priority: chance.between(1, 3) }),
      ...(chance.of(0.15) && { delay: chance.between(1, 2_000) }),
      lane: {
        account: owner ?? account(),
        group: group(),
        ...(has.costs && chance.of(0.2) && { cost: chance.between(2, 4) }),
      },
    }));
    const datas = each.map(() => ({
      fails: chance.of(0.1) ? chance.between(1, 2) : 0,
      takesMs: chance.oneOf([0, 0, 1, 5, 40]),
    }));
    const jobs = await Promise.all(each.map(async (opts, at) => queue.add('job', datas[at], opts)));
    ids.push(...jobs.map((job) => job.id!));
  };
  const crash = async (): Promise<void> => {
    const at = chance.between(0, WORKERS - 1);
    const [worker] = workers.splice(at, 1, startWorker());
    ended.push(worker!);
    await worker!.close(true);
  };
  const limit = async (): Promise<void> => {
    if (has.limits) await lanes.setLimits(account(), group(), chance.oneOf(LIMITS));
  };
  const steps: [share: number, step: () => Promise<unknown>][] = [
    [40, add],
    [1, crash],
    [5, limit],
    [2, async () => lanes.removeLimits(account(), group())],
    [2, async () => has.limits && lanes.closeGateFor(account(), group(), chance.between(1, 1_500))],
    [2, async () => has.limits && lanes.pause(account(), 'test')],
    [4, async () => resumeAll(0.3)],
    [1, async () => queue.pause()],
    [6, async () => queue.resume()],
    [2, async () => has.limits && lanes.setAccount(account(), { weight: chance.oneOf([0.5, 1, 7]) })],
  ];
  const drawn = steps.flatMap(([share, step]) => Array.from({ length: share }, () => step));
  const resumeAll = async (share: number): Promise<void> => {
    for (let at = 0; at < ACCOUNTS; at += 1) {
      if (chance.of(share)) await lanes.resume(`a${at}`, 'test');
    }
  };

  const late: string[] = [];
  const watching = new AbortController();
  /** Slots have been free, and the queue not paused, since. */
  let freeSince = Infinity;
  const watch = async (): Promise<void> => {
    while (!watching.signal.aborted) {
      const { active, paused } = await lanes.queueCounts('queue');
      const { open, openSince } = await lanes.survey('queue', 10_000);
      const now = Date.now();
      freeSince =
        paused || active > (WORKERS - 1) * SLOTS || open === 0 ? Infinity : Math.min(freeSince, now);
      if (now - Math.max(freeSince, openSince ?? now) > LATE_MS) {
        late.push(`${open} lanes open since ${now - openSince!} ms, ${active} active`);
        freeSince = Infinity;
      }
      await delay(100);
    }
  };
  const watched = watch();

  const until = Date.now() + SECONDS * 1_000;
  while (Date.now() < until) {
    await chance.oneOf(drawn)();
    if (chance.of(0.2)) await delay(chance.between(1, 300));
  }
  await queue.resume();
  await resumeAll(1);
  const unfinished = async (): Promise<Record<string, number>> =>
    queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed');
  await expect
    .poll(async () => Object.values(await unfinished()).every((count) => count === 0), { timeout: ENDS_MS })
    .toBe(true);
  watching.abort();
  await watched;
  expect(late, 'R8: open lanes that waited while slots were free').toEqual([]);

  const wrong: string[] = [];
  for (const id of ids) {
    const job = (await queue.getJob(id)) as Job<{ fails: number }>;
    const ran = runs.get(id) ?? 0;
    const { attemptsMade, attemptsStarted, stalledCounter, returnvalue } = job;
    // A reply that its worker no longer heard is an attempt that was started and did not run.
    const isRight = stalledCounter > 0 ? ran >= 1 && ran <= attemptsStarted : ran === attemptsStarted;
    if (returnvalue !== 'done' || !isRight || attemptsMade !== job.data.fails + 1) {
      wrong.push(
        JSON.stringify({ id, ran, attemptsMade, attemptsStarted, stalledCounter, returnvalue, ...job.data }),
      );
    }
  }
  expect(wrong.slice(0, 5), `R1: of ${ids.length} jobs these ended otherwise than planned`).toEqual([]);
  expect(repairs, 'R11: repairs while it ran').toEqual([]);
  expect(await lanes.audit({ patienceMs: 0 }), 'R11: repairs').toEqual(NO_REPAIRS);
  const left = async (): Promise<string[]> =>
    (await redis.client.keys(`${redis.prefix}::q:queue:*`)).filter((key) => /:queue:[lprhckost]\b/.test(key));
  await expect.poll(left, { timeout: 30_000 }).toEqual([]);
  process.stdout.write(`seed ${SEED}: ${ids.length} jobs, ${ended.length} crashes, ${JSON.stringify(has)}\n`);
});
