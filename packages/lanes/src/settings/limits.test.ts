import { describe, expect, it } from 'vitest';
import { encodeLane } from './lane-options.js';
import { checkLimits } from './limits.js';
import { resolveOptions } from '../backend/options.js';

describe('limits', () => {
  it('are kept as an interval and a depth', () => {
    expect(checkLimits({ limit: 5, perMs: 1_000, burst: 10, maxInFlight: 2 })).toEqual({
      intervalMs: 200,
      depthMs: 2_000,
      maxInFlight: 2,
    });
    expect(checkLimits({ limit: 5, perMs: 1_000 }).depthMs).toBe(1_000);
  });

  it.each([
    [{}],
    [{ limit: 0, perMs: 1_000 }],
    [{ limit: 1 }],
    [{ limit: Number.NaN, perMs: 1 }],
    [{ limit: 1, perMs: -1 }],
    [{ limit: 1, perMs: 1_000, burst: 0.5 }],
    [{ maxInFlight: 0 }],
    [{ maxInFlight: 1.5 }],
    [{ burst: 2, maxInFlight: 1 }],
  ])('%j are refused', (limits) => {
    expect(() => checkLimits(limits)).toThrow(expect.objectContaining({ code: 'invalid_limits' }));
  });
});

describe('the option lane', () => {
  const declared = new Set(['default', 'email']);

  it('is a lane and what else there is', () => {
    expect(encodeLane({ account: 'a:b' }, declared, false)).toEqual({ lane: 'default:a:b', extra: '' });
    expect(encodeLane({ account: 'A', group: 'email', cost: 2, tag: 't' }, declared, true)).toEqual({
      lane: 'email:A',
      extra: '{"cost":2,"tag":"t","parent":true}',
    });
    expect(encodeLane(undefined, declared, false)).toEqual({ lane: '', extra: '' });
  });

  it.each([
    [{ account: '' }, 'invalid_lane'],
    [{ account: 42 as unknown as string }, 'invalid_lane'],
    [{ account: 'x'.repeat(257) }, 'invalid_lane'],
    [{ account: 'A', group: 'E mail' }, 'invalid_lane'],
    [{ account: 'A', group: 'sms' }, 'undeclared_group'],
    [{ account: 'A', cost: 0 }, 'invalid_lane'],
    [{ account: 'A', cost: Number.NaN }, 'invalid_lane'],
    [{ account: 'A', tag: '' }, 'invalid_lane'],
  ])('%j is refused as %s', (lane, code) => {
    expect(() => encodeLane(lane, declared, false)).toThrow(expect.objectContaining({ code }));
  });

  it('takes at most 32 groups', () => {
    const groups = Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`group-${at}`, {}]));
    expect(() => resolveOptions({ groups })).toThrow(expect.objectContaining({ code: 'undeclared_group' }));
  });
});
