import { describe, expect, it } from 'vitest';
import { simulateDay } from '../testing-support/simulate-day.js';
import { desiredReplicas, type QueueDemand } from './desired-replicas.js';

const bounds = { min: 0, max: 10, targetAgeMs: 60_000, current: 2 };

function demand(changes: Partial<QueueDemand> = {}): QueueDemand {
  return {
    queue: 'outreach',
    eligible: 0,
    active: 0,
    oldestAgeMs: null,
    startedPerSecond: 0,
    peakPerSecond: 0,
    serviceMs: 1_000,
    slotsPerReplica: 10,
    opensLater: false,
    ...changes,
  };
}

describe('how many replicas are desired', () => {
  it('none when nothing waits, runs or opens, and never fewer than min or more than max', () => {
    expect(desiredReplicas([demand()], bounds)).toEqual({
      desiredReplicas: 0,
      reason: 'nothing waits and nothing runs',
    });
    expect(desiredReplicas([demand()], { ...bounds, min: 3 }).desiredReplicas).toBe(3);
    const { desiredReplicas: most, reason } = desiredReplicas(
      [demand({ eligible: 60_000, oldestAgeMs: 5_000 })],
      bounds,
    );
    expect(most).toBe(10);
    expect(reason).toMatch(
      /^outreach: 60000 could start now, the oldest for 5 s, 0 run; \d+ would be needed$/,
    );
  });

  it('A35 held work asks for no more, and never scales to zero', () => {
    const held = demand({ opensLater: true });
    expect(desiredReplicas([held], { ...bounds, current: 0 })).toEqual({
      desiredReplicas: 1,
      reason: 'nothing of outreach could start now, but some of it will: one replica waits for it',
    });
    expect(desiredReplicas([held], { ...bounds, current: 5 }).desiredReplicas).toBe(1);
  });

  it('enough for a backlog to be gone within the target, the more the older it is', () => {
    const backlog = { eligible: 1_200, active: 20, startedPerSecond: 20 };
    const asked = [0, 30_000, 600_000].map(
      (oldestAgeMs) =>
        desiredReplicas([demand({ ...backlog, oldestAgeMs })], { ...bounds, max: 100 }).desiredReplicas,
    );
    expect(asked).toEqual([5, 7, 12]);
  });

  it('the queue that needs most decides, since slots are separate', () => {
    const busy = demand({ queue: 'bulk', active: 3, startedPerSecond: 3, slotsPerReplica: 1 });
    expect(desiredReplicas([demand({ active: 1 }), busy], bounds).desiredReplicas).toBe(4);
  });

  it('long jobs that have not ended yet keep the replicas they need', () => {
    expect(desiredReplicas([demand({ active: 35 })], { ...bounds, current: 4 }).desiredReplicas).toBe(4);
  });

  it('stays between what is needed at high and at low use, and looks back before it shrinks', () => {
    for (const [startedPerSecond, peakPerSecond, current, desired] of [
      [28, 28, 4, 4],
      [28, 28, 5, 5],
      [28, 28, 6, 5],
      [28, 28, 3, 4],
      [5, 28, 5, 5],
      [5, 5, 5, 1],
    ] as const) {
      const asked = demand({ active: 1, startedPerSecond, peakPerSecond });
      expect(desiredReplicas([asked], { ...bounds, current }).desiredReplicas).toBe(desired);
    }
  });
});

describe('six hours', () => {
  const MINUTES = 360;
  const BURST_EVERY = 45;

  function simulate(burst: number) {
    const arrivals = Array.from({ length: MINUTES }, (_value, minute) => {
      const wave = 90 + 80 * Math.sin(minute / 57) + ((minute * 7_919) % 23);
      return Math.round(wave + (minute % BURST_EVERY === BURST_EVERY - 1 ? burst : 0));
    });
    return simulateDay({
      arrivals,
      serviceMs: 5_000,
      slotsPerReplica: 5,
      min: 1,
      max: 20,
      targetAgeMs: 60_000,
    });
  }

  it('of waves and noise are followed without one change undone, the oldest job within the target', () => {
    const { minutes, oldestAgeMs, changes, reversals } = simulate(0);
    expect(oldestAgeMs).toBeLessThanOrEqual(60_000);
    expect(reversals).toBe(0);
    expect(changes).toBeLessThan(15);
    expect(Math.max(...minutes.map(({ replicas }) => replicas))).toBeGreaterThanOrEqual(4);
    expect(minutes.at(-60)?.replicas).toBeLessThan(3);
  });

  it('with bursts of several times that go up and down at most once a burst, the oldest job within the target', () => {
    const { minutes, oldestAgeMs } = simulate(200);
    expect(oldestAgeMs).toBeLessThanOrEqual(60_000);
    const steps = minutes.flatMap(({ replicas }, at) => {
      const by = Math.sign(replicas - (minutes[at - 1]?.replicas ?? replicas));
      return by === 0 ? [] : [by];
    });
    const turns = steps.filter((by, at) => at > 0 && by !== steps[at - 1]).length;
    expect(turns).toBeLessThanOrEqual(2 * (MINUTES / BURST_EVERY));
    expect(Math.min(...minutes.map(({ replicas }) => replicas))).toBeLessThan(3);
  });
});
