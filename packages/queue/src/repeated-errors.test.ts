import { describe, expect, it } from 'vitest';
import { RepeatedErrors } from './repeated-errors.js';

function onClock() {
  const clock = { nowMs: 1_000 };
  return { clock, errors: new RepeatedErrors(() => clock.nowMs) };
}

describe('an error that comes again and again', () => {
  it('is told at once, then each half minute with how often it was left out', () => {
    const { clock, errors } = onClock();
    expect(errors.tell('refused')).toEqual({});
    for (let at = 0; at < 5; at += 1) expect(errors.tell('refused')).toBeUndefined();
    expect(errors.tell('full')).toEqual({});
    clock.nowMs += 30_000;
    expect(errors.tell('refused')).toEqual({ repeated: 5 });
    expect(errors.tell('refused')).toBeUndefined();
    clock.nowMs += 30_000;
    expect(errors.tell('full')).toEqual({});
  });

  it('R14 is remembered with at most a hundred others', () => {
    const { errors } = onClock();
    for (let at = 0; at < 100; at += 1) errors.tell(`error ${at}`);
    expect(errors.tell('error 0')).toBeUndefined();
    errors.tell('one more');
    expect(errors.tell('error 0')).toEqual({});
  });
});
