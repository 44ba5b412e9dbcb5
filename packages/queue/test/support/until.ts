import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '@fairlane/testkit/vitest';

/** Waits for a condition; the value it gives once it is neither undefined nor false. */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs = PATIENCE_MS,
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await delay(10);
  }
}
