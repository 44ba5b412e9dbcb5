import { describe, expect, it } from 'vitest';

import { crashOptions, FULL_RUN } from './options.js';

describe('the size of a crash run', () => {
  it('is the full one by itself', () => {
    expect(crashOptions({})).toEqual(FULL_RUN);
    expect(FULL_RUN).toMatchObject({ jobs: 50_000, kills: 200, restarts: 3, cuts: 20, stops: 20 });
  });

  it('shrinks as a whole, and keeps one of each fault', () => {
    const tenth = { jobs: 5_000, kills: 20, restarts: 1, cuts: 2, stops: 2, readOnly: 1, seconds: 90 };
    expect(crashOptions({ CRASH_SCALE: '0.1' })).toMatchObject(tenth);
    expect(crashOptions({ CRASH_SCALE: '0.1', CRASH_RESTARTS: '2' })).toMatchObject({
      ...tenth,
      restarts: 2,
    });
  });

  it('takes one thing at a time', () => {
    const env = {
      CRASH_SEED: '9',
      CRASH_READ_ONLY: '0',
      CRASH_APPENDFSYNC: 'always',
      CRASH_LEDGER: 'postgres',
    };
    expect(crashOptions(env)).toMatchObject({
      seed: 9,
      readOnly: 0,
      appendfsync: 'always',
      ledger: 'postgres',
    });
  });

  it.each([
    [{ CRASH_JOBS: 'many' }, /jobs/],
    [{ CRASH_KILLS: '-1' }, /kills/],
    [{ CRASH_SCALE: '0' }, />0/],
    [{ CRASH_LEDGER: 'paper' }, /ledger/],
  ])('refuses %o', (env, reason) => {
    expect(() => crashOptions(env)).toThrow(reason);
  });
});
