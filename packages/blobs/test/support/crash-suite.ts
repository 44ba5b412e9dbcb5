import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { BlobStore } from '../../src/blob-store.js';
import { createBlobs, type Blobs } from '../../src/blobs.js';
import { RENEW_MS } from '../../src/bounds.js';
import { jobKey, OWNER, PAYLOAD, runAction, stillNeeded, type CrashInput } from './crash-scenario.js';

export interface CrashStore {
  /** Where a process of the test finds the store. */
  readonly location: Pick<CrashInput, 'directory' | 's3'>;
  readonly open: () => BlobStore;
  /** Lets what an interrupted put left look old. */
  readonly age: () => Promise<void>;
  /** Everything there is in the store, whole or not. */
  readonly left: () => Promise<string[]>;
}

const HOLD_MS = 60_000;
/** Longer than any action has steps: a test that never ends its loop would pass. */
const MAX_STEPS = 60;
/** Processes at a time. */
const AT_ONCE = 3;

/**
 * A38: the process that stores, or removes, a job with a large payload is killed after each of its steps, and
 * everything still holds.
 */
export function describeCrashes(
  redis: { readonly url: string; readonly client: Redis },
  newStore: (prefix: string) => Promise<CrashStore>,
): void {
  /** One fresh place, the action killed there, and what must be true afterwards. @returns steps, if not killed. */
  async function crashAfter(action: CrashInput['action'], step: number): Promise<number | undefined> {
    const prefix = `{${action}-${step}}`;
    const store = await newStore(prefix);
    const input: CrashInput = {
      ...store.location,
      action,
      redisUrl: redis.url,
      prefix,
      holdMs: HOLD_MS,
      killAfter: step,
    };
    const blobs = createBlobs({ store: store.open(), redis: redis.url, prefix });
    // Far enough ahead that no hold lasts.
    const later = createBlobs({
      store: store.open(),
      redis: redis.url,
      prefix,
      nowMs: () => Date.now() + HOLD_MS + RENEW_MS,
    });
    try {
      if (action === 'remove') await submit(blobs, input);
      const steps = await runAction(input);
      const exists = await expectPayload(blobs, input);
      await sweep(later, store, input);
      await expectPayload(blobs, input);
      expect(await store.left(), `after step ${step}`).toHaveLength(exists ? 1 : 0);

      // Another process takes it up.
      if (action === 'submit') await submit(blobs, input);
      else await remove(blobs, input);
      await sweep(later, store, input);
      expect(await expectPayload(blobs, input)).toBe(action === 'submit');
      expect(await store.left(), `after step ${step}`).toHaveLength(action === 'submit' ? 1 : 0);
      return steps;
    } finally {
      await Promise.all([blobs.close(), later.close()]);
    }
  }

  async function submit(blobs: Blobs, input: CrashInput): Promise<void> {
    const request = { owner: OWNER, holdMs: HOLD_MS, maxBytes: PAYLOAD.byteLength };
    const { source } = await blobs.put(PAYLOAD, request);
    await redis.client.set(jobKey(input), source);
  }

  async function remove(blobs: Blobs, input: CrashInput): Promise<void> {
    const source = (await redis.client.getdel(jobKey(input))) ?? '';
    await blobs.release(source, OWNER);
  }

  /** @returns whether there is a job. */
  async function expectPayload(blobs: Blobs, input: CrashInput): Promise<boolean> {
    const source = await redis.client.get(jobKey(input));
    if (source === null) return false;
    const payload = await blobs.readAll(source, { maxBytes: PAYLOAD.byteLength });
    expect(payload.equals(PAYLOAD)).toBe(true);
    return true;
  }

  async function sweep(later: Blobs, store: CrashStore, input: CrashInput): Promise<void> {
    await store.age();
    // The second one finds what the first one left, if anything.
    await later.sweep({ stillNeeded: stillNeeded(redis.client, input) });
    await later.sweepOrphans();
  }

  describe.each(['submit', 'remove'] as const)('A38 killed after any step: %s', (action) => {
    it('no job misses its payload, and nothing is left of one that is not', async () => {
      let next = 1;
      let ended: number | undefined;
      const follow = async () => {
        while (ended === undefined) {
          const step = next++;
          if (step > MAX_STEPS) throw new Error(`no end after ${MAX_STEPS} steps`);
          ended = (await crashAfter(action, step)) ?? ended;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, follow));
      // The number is that of a run without a kill, so no step was passed over.
      expect(ended).toBeGreaterThanOrEqual(5);
      expect(next - 1).toBeGreaterThan(ended ?? Infinity);
    }, 180_000);
  });
}
