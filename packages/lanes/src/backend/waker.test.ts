import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Waker, type WakeReply } from './waker.js';

/** What the server's clock is behind. */
const BEHIND_MS = 5_000;

let calls: { due: number; at: number }[];
let replies: WakeReply[];
let waker: Waker;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  calls = [];
  replies = [];
  waker = new Waker(async (due) => {
    calls.push({ due, at: serverNow() });
    return replies.shift() ?? [0, serverNow()];
  });
});

afterEach(() => {
  vi.useRealTimers();
});

function serverNow(): number {
  return Date.now() - BEHIND_MS;
}

/** What is due in so many ms, asked for now and heard after `waitMs`. */
async function hears(dueInMs: number, waitMs: number): Promise<number> {
  const askedAt = Date.now();
  const due = serverNow() + dueInMs;
  const reply: WakeReply = [due, serverNow()];
  await vi.advanceTimersByTimeAsync(waitMs);
  waker.hear(reply, askedAt);
  return due;
}

describe('a waker', () => {
  it('R8: wakes at the time of the server’s clock, whatever its own says', async () => {
    const due = await hears(200, 0);
    await vi.advanceTimersByTimeAsync(199);
    expect(calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toEqual([{ due, at: due }]);
  });

  it('R8: a reply that is heard late makes nothing late', async () => {
    const due = await hears(200, 150);
    await vi.advanceTimersByTimeAsync(50);
    expect(calls).toEqual([{ due, at: due }]);
  });

  it('R8: what was due before the reply was heard is asked for at once', async () => {
    await hears(200, 300);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toHaveLength(1);
  });

  it('R8: the earliest of several times counts', async () => {
    const later = await hears(300, 0);
    const earlier = await hears(100, 0);
    replies.push([later, earlier]);
    await vi.advanceTimersByTimeAsync(300);
    expect(calls).toEqual([
      { due: earlier, at: earlier },
      { due: later, at: later },
    ]);
  });

  it('R8: one that fires early is told so and comes again', async () => {
    const due = await hears(200, 0);
    // The server's clock was put back by 80 ms.
    replies.push([due, due - 80]);
    await vi.advanceTimersByTimeAsync(200);
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(79);
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toHaveLength(2);
  });

  it('R8: when it stops it tells what it would have done, and does it no more', async () => {
    const due = await hears(200, 0);
    expect(waker.stop()).toBe(due);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(calls).toEqual([]);
  });
});
