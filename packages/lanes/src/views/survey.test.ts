import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LaneBench } from '../../test/support/lane-bench.js';

const redis = useRedis();
let bench: LaneBench;

beforeEach(() => {
  bench = new LaneBench(redis, { groups: { email: { total: { limit: 1, perMs: 60_000 } } } });
});
afterEach(async () => {
  await bench.close();
});

const survey = (most = 10_000) => bench.lanes.survey('queue', most);

describe('a survey', () => {
  it('counts lanes by what keeps them, with the time since the oldest of their jobs waits', async () => {
    const start = bench.nowMs;
    await bench.lanes.setLimits('slow', 'default', { limit: 1, perMs: 60_000 });
    for (const account of ['slow', 'off', 'free', 'freer']) {
      await bench.add(account, 2, {}, { timestamp: start });
    }
    await bench.lanes.pause('off', 'test');
    expect(await bench.serve(3)).toHaveLength(3);
    bench.nowMs += 5_000;
    const { open, held, isWhole } = await survey();
    expect({ open, held, isWhole }).toEqual({
      open: 2,
      held: { rate_limit: { lanes: 1, since: start }, paused: { lanes: 1, since: start } },
      isWhole: true,
    });
  });

  it('takes jobs behind the total of their group for held', async () => {
    await bench.add('A', 1, { group: 'email' });
    await bench.add('B', 1, { group: 'email' });
    expect(await survey()).toMatchObject({ open: 2, held: {} });
    await bench.serve(1);
    expect(await survey()).toMatchObject({ open: 0, openSince: null, held: { group_total: { lanes: 1 } } });
  });

  it('R8 tells since when a job could have run, not for how long it had been held before', async () => {
    const start = bench.nowMs;
    await bench.lanes.pause('A', 'test');
    await bench.add('A', 1, {}, { timestamp: start });
    bench.nowMs += 3_600_000;
    await bench.lanes.resume('A', 'test');
    expect(await survey()).toMatchObject({ open: 1, openSince: start + 3_600_000 });
    bench.nowMs += 60_000;
    expect(await survey()).toMatchObject({ open: 1, openSince: start + 3_600_000 });
  });

  it('R8 sees what has become eligible while no worker lives', async () => {
    const start = bench.nowMs;
    await bench.lanes.setLimits('A', 'default', { limit: 1, perMs: 60_000 });
    await bench.add('A', 2, {}, { timestamp: start });
    await bench.serve(1);
    expect(await survey()).toMatchObject({ open: 0, held: { rate_limit: { lanes: 1 } } });
    bench.nowMs += 600_000;
    expect(await survey()).toMatchObject({ open: 1, openSince: start + 60_000, held: {} });
  });

  it('is cut off at a bound, and says so', async () => {
    await Promise.all(Array.from({ length: 600 }, (_value, at) => bench.add(`A${at}`)));
    expect(await survey()).toMatchObject({ open: 600, isWhole: true });
    expect(await survey(300)).toMatchObject({ open: 500, isWhole: false });
  });
});
