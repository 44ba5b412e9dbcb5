import { useRedis } from '@fairlane/testkit/vitest';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JobFilter } from './job-list.js';
import { LaneBench } from '../../test/support/lane-bench.js';

const redis = useRedis();
const RUNS = Number(process.env['PAGING_RUNS'] ?? 15);
const SEED = Number(process.env['PAGING_SEED'] ?? 20_261_130);

const accounts = ['A', 'B', 'C', 'D'] as const;
const anyAccount = fc.constantFrom(...accounts);

const filters: readonly JobFilter[] = [
  { state: 'ready' },
  { state: 'ready' },
  { state: 'held' },
  { state: 'ready', account: 'A' },
  { state: 'ready', account: 'A' },
  { state: 'scheduled' },
  { state: 'scheduled', account: 'A' },
  { state: 'active' },
  { state: 'completed' },
  { state: 'completed', account: 'A' },
  { state: 'failed', account: 'A' },
  { tag: 'spring' },
];

/** What happens between two pages. */
const event = fc.oneof(
  fc.record({
    kind: fc.constant('add'),
    account: anyAccount,
    count: fc.integer({ min: 1, max: 6 }),
    delay: fc.constantFrom(0, 0, 0, 60_000, 90_000),
    priority: fc.constantFrom(0, 0, 0, 1, 2),
  }),
  fc.record({ kind: fc.constant('finish'), count: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ kind: fc.constant('start'), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('fail'), count: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ kind: fc.constant('remove'), at: fc.nat(30) }),
  fc.record({ kind: fc.constant('pause'), account: anyAccount }),
  fc.record({ kind: fc.constant('resume'), account: anyAccount }),
);
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

/** Jobs of four accounts that come, run, end, and are held. */
class Campaign {
  readonly bench = new LaneBench(redis, { groups: { email: {} } });
  private readonly running: NonNullable<Awaited<ReturnType<LaneBench['take']>>>[] = [];

  async happen(happening: Event): Promise<void> {
    switch (happening.kind) {
      case 'add':
        return this.add(happening as { account: string; count: number; delay: number; priority: number });
      case 'pause':
      case 'resume':
        await this.bench.lanes[happening.kind]((happening as { account: string }).account, 'test');
        return;
      case 'remove': {
        const { items } = await this.bench.lanes.jobs({ state: 'ready', limit: 50 });
        const job = items[(happening as { at: number }).at];
        if (job) await this.bench.queue.remove(job.id);
        return;
      }
      default:
        for (let at = 0; at < (happening as { count: number }).count; at += 1)
          await this.step(happening.kind);
    }
  }

  async add({
    account,
    count,
    delay,
    priority,
  }: {
    account: string;
    count: number;
    delay: number;
    priority: number;
  }): Promise<void> {
    const opts = { ...(delay > 0 ? { delay } : {}), ...(priority > 0 ? { priority } : {}) };
    const group = count % 2 === 0 ? 'email' : 'default';
    await this.bench.add(account, count, { group, tag: count > 3 ? 'spring' : 'autumn' }, opts);
  }

  private async step(kind: string): Promise<void> {
    const started = await this.bench.take();
    if (started) this.running.push(started);
    const job = kind === 'start' ? undefined : this.running.shift();
    if (job === undefined) return;
    if (kind === 'finish') await this.bench.finish(job);
    else await job.moveToFailed(new Error('no'), job.token!, false);
  }

  /** All that a filter matches now, in one look. */
  async now(filter: JobFilter): Promise<Set<string>> {
    const { items, cursor } = await this.bench.lanes.jobs({ ...filter, limit: 500 });
    expect(cursor).toBeNull();
    return new Set(items.map(({ id }) => id));
  }
}

/** Reads page by page while things happen, and counts how often each job was met. */
async function readThrough(
  campaign: Campaign,
  filter: JobFilter,
  limit: number,
  happenings: readonly Event[],
): Promise<{ met: Map<string, number>; stayed: Set<string> }> {
  const met = new Map<string, number>();
  let stayed = await campaign.now(filter);
  let cursor: string | null | undefined;
  const waiting = [...happenings];
  for (let pages = 0; cursor !== null; pages += 1) {
    expect(pages).toBeLessThan(1_000);
    const page: { items: { id: string }[]; cursor: string | null } = await campaign.bench.lanes.jobs({
      ...filter,
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { id } of page.items) met.set(id, (met.get(id) ?? 0) + 1);
    cursor = page.cursor;
    for (const happening of waiting.splice(0, 3)) {
      await campaign.happen(happening);
      const there = await campaign.now(filter);
      stayed = new Set([...stayed].filter((id) => there.has(id)));
    }
  }
  return { met, stayed };
}

const rounds = (...turns: readonly (readonly Event[])[]) => turns.flat();
const add = (account: 'A' | 'B' | 'C' | 'D', count: number): Event => ({
  kind: 'add',
  account,
  count,
  delay: 0,
  priority: 0,
});

it.each<[what: string, filter: JobFilter, before: readonly Event[], during: readonly Event[]]>([
  [
    'waiting jobs of all accounts, while accounts are served, held and let go',
    { state: 'ready' },
    [add('D', 6), add('C', 6), add('D', 5), add('B', 5), add('A', 5)],
    rounds(
      [
        { kind: 'pause', account: 'C' },
        { kind: 'finish', count: 3 },
        { kind: 'resume', account: 'C' },
      ],
      [{ kind: 'finish', count: 2 }, { kind: 'pause', account: 'A' }, add('D', 4)],
      [{ kind: 'finish', count: 2 }, { kind: 'resume', account: 'A' }, add('A', 2)],
      [
        { kind: 'pause', account: 'B' },
        { kind: 'finish', count: 1 },
        { kind: 'resume', account: 'B' },
      ],
    ),
  ],
  [
    'running jobs, while some start and others end',
    { state: 'active' },
    [add('A', 6), add('B', 6), { kind: 'start', count: 8 }],
    rounds([
      { kind: 'start', count: 2 },
      { kind: 'finish', count: 1 },
      { kind: 'finish', count: 1 },
    ]),
  ],
])('a reader meets each once: %s', async (_what, filter, before, during) => {
  const campaign = new Campaign();
  try {
    for (const happening of before) await campaign.happen(happening);
    const { met, stayed } = await readThrough(campaign, filter, 2, during);
    expect(stayed.size).toBeGreaterThan(2);
    expect([...stayed].filter((id) => met.get(id) !== 1)).toEqual([]);
  } finally {
    await campaign.bench.close();
  }
});

it('a reader meets every job that stays in its filter exactly once, whatever comes and goes between its pages', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...filters),
      fc.integer({ min: 1, max: 4 }),
      fc.array(event, { minLength: 3, maxLength: 6 }),
      fc.array(event, { minLength: 10, maxLength: 24 }),
      async (filter, limit, before, during) => {
        const campaign = new Campaign();
        try {
          for (const account of accounts) await campaign.add({ account, count: 5, delay: 0, priority: 0 });
          await campaign.add({ account: 'A', count: 6, delay: 60_000, priority: 0 });
          await campaign.happen({ kind: 'finish', count: 5 });
          for (const happening of before) await campaign.happen(happening);
          const { met, stayed } = await readThrough(campaign, filter, limit, during);
          compared += stayed.size;
          expect([...stayed].filter((id) => met.get(id) !== 1)).toEqual([]);
        } finally {
          await campaign.bench.queue.obliterate({ force: true });
          await campaign.bench.close();
        }
      },
    ),
    { numRuns: RUNS, seed: SEED, endOnFailure: true },
  );
  expect(compared).toBeGreaterThan(RUNS * 2);
}, 120_000);
