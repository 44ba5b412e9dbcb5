import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { PAYLOAD_HOLD_MS } from '@fairlane/blobs';
import { PermanentError } from '@fairlane/sdk';
import type { RedisInTests } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { BlobSweeper } from '../../src/payloads/blob-sweeper.js';
import { LARGE, runKilled, type PayloadCrash } from './payload-crash.js';
import { textCatalogue, textJob, type Text } from './text-job.js';
import { HOURS_MS, TextWorld } from './text-world.js';
import { idOf } from './world.js';

/** When the hold of a submit that came to nothing is over, and owners whose hold is over have been asked again. */
const BOUND_MS = PAYLOAD_HOLD_MS + HOURS_MS;

/**
 * A38 over the queue's own path: a process is killed after steps of submitting a job with a large payload, and of
 * purging one and sweeping. Then the same is done again by another, and a worker must get the payload whole.
 *
 * @param stepsOf which steps to kill after; the test is over at the first that is not reached, which must come.
 */
export function describePayloadCrashes(
  redis: RedisInTests,
  stepsOf: (action: PayloadCrash['action']) => readonly number[],
): void {
  const place = {
    prefix: '',
    get server() {
      return redis.server;
    },
    get url() {
      return redis.url;
    },
    get client() {
      return redis.client;
    },
  };
  const world = new TextWorld(place);

  /** Lets a worker run the job. @returns the payload that its handler got. */
  async function work(id: string, end: 'completed' | 'dead'): Promise<Text | undefined> {
    let got: Text | undefined;
    const consumer = await world.consume((payload) => {
      got = payload;
      if (end === 'dead') throw new PermanentError();
    });
    await world.untilState(world.producer(), id, end);
    await consumer.close();
    return got;
  }

  async function deadLetter(): Promise<string> {
    const id = idOf(await world.producer().enqueue(textJob, LARGE));
    await work(id, 'dead');
    return id;
  }

  /** Everything in the folder, whole or not. */
  async function left(): Promise<string[]> {
    const entries = await readdir(world.directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  }

  /** What the upkeep of workers has done by the time of the bound. */
  async function upkeep(): Promise<void> {
    for (const file of await left()) if (file.includes('/unfinished/')) await utimes(file, 1, 1);
    const blobs = world.openBlobs({ nowMs: () => Date.now() + BOUND_MS });
    await new BlobSweeper({ blobs, memory: world.memory(), logger: world.logger }).sweep();
    await blobs.sweepOrphans();
  }

  async function crashAfter(action: PayloadCrash['action'], killAfter: number): Promise<number | undefined> {
    const name = `${action}-${killAfter}`;
    place.prefix = `{${redis.prefix}-${name}}`;
    await world.enter(name);
    const id = action === 'purge' ? await deadLetter() : '';
    const { directory } = world;
    const input = { action, redisUrl: redis.url, prefix: place.prefix, directory, id, killAfter };
    const steps = await runKilled(input);

    const isDead = id !== '' && (await world.producer().job(id)) !== undefined;
    if (action === 'submit') await upkeep();
    const isSubmitted = action === 'submit' && (await left()).length > 0;
    if (isDead) await world.operations({ catalogue: textCatalogue }).replay(id);
    // Handed in again in the middle of what the killed one left: a late clean-up must not take this payload.
    const again = await world.producer().enqueue(textJob, LARGE);
    const outcome = isSubmitted || isDead ? 'duplicate' : 'accepted';
    await upkeep();
    const files = await left();
    const payload = await work(idOf(again), 'completed');
    expect({ name, outcome: again.outcome, files, payload }).toEqual({
      name,
      outcome,
      files: [expect.any(String)],
      payload: LARGE,
    });
    return steps;
  }

  describe.each(['submit', 'purge'] as const)('A38 a process is killed in the middle of: %s', (action) => {
    it('no job misses its payload, and nothing is left of one that is not, when the bound is over', async () => {
      let ended: number | undefined;
      for (const step of stepsOf(action)) {
        ended = await crashAfter(action, step);
        if (ended !== undefined) break;
      }
      process.stdout.write(`${action}: ${ended} steps\n`);
      // That of a run that nobody killed: no step after the last one was left.
      expect(ended).toBeGreaterThanOrEqual(5);
    }, 300_000);
  });
}
