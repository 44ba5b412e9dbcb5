import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Periodic } from './periodic.js';

describe('something periodic', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('runs every so often, and goes on after a failure that is told', async () => {
    const errors: unknown[] = [];
    let runs = 0;
    const periodic = new Periodic({
      everyMs: 1_000,
      run: async () => {
        runs += 1;
        if (runs === 1) throw new Error('the first');
      },
      onError: (error) => errors.push(error),
    });
    periodic.start();
    await vi.advanceTimersByTimeAsync(3_000);
    await periodic.stop();
    expect(runs).toBe(3);
    expect(errors).toEqual([new Error('the first')]);
  });

  it('R14 leaves out what a long run overlaps, and its stop waits for that run', async () => {
    let runs = 0;
    let finish!: () => void;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const run = async () => {
      runs += 1;
      await slow;
    };
    const periodic = new Periodic({ everyMs: 1_000, run, onError: () => undefined });
    periodic.start();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(runs).toBe(1);
    let stopped = false;
    const stopping = periodic.stop().then(() => (stopped = true));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(stopped).toBe(false);
    finish();
    await stopping;
    expect(runs).toBe(1);
  });
});
