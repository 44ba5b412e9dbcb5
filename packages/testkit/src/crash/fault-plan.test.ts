import { describe, expect, it } from 'vitest';

import { planFaults } from './fault-plan.js';

describe('a plan of faults', () => {
  const counts = { kill: 20, restart: 2, stop: 5 };

  it('has as many of each kind as asked for, in order, within the run', () => {
    const plan = planFaults(counts, 7);
    const count = (kind: string) => plan.filter((fault) => fault.kind === kind).length;
    expect([count('kill'), count('restart'), count('stop'), count('cut')]).toEqual([20, 2, 5, 0]);
    const times = plan.map(({ at }) => at);
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    for (const time of times) expect(time > 0 && time < 1).toBe(true);
  });

  it('spreads a kind over the whole run', () => {
    const kills = planFaults(counts, 7).filter(({ kind }) => kind === 'kill');
    for (const [nth, { at }] of kills.entries()) expect(Math.floor(at * 20)).toBe(nth);
  });

  it('is the same for the same seed and another for another', () => {
    expect(planFaults(counts, 7)).toEqual(planFaults(counts, 7));
    expect(planFaults(counts, 8)).not.toEqual(planFaults(counts, 7));
  });
});
