import type { FinishedState } from '@fairlane/lanes';
import type { RedisClient } from 'bullmq';
import { valuesOf } from '../redis/replies.js';
import { PLAIN_SCRIPTS } from '../scripts/commands.js';
import { dedupKey } from './dedup-key.js';

/** How jobs ended whose hashes are gone, see `read-entry.lua`. */
const ENDS: Readonly<Record<FinishedState, string>> = { completed: 'C', cancelled: 'X', failed: 'P' };

/** Part of a bucket to be swept. */
export interface SweepPage {
  readonly bucketKey: string;
  readonly idPrefix: string;
  readonly cursor: string;
}

/** What is done with the dedup memory besides the decision of a submit. */
export class DedupMemory {
  readonly #client: () => Promise<RedisClient>;
  readonly #prefix: string;

  /** @param client on which a backend of ours has defined the scripts. */
  constructor(client: () => Promise<RedisClient>, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  /** Writes how jobs of a queue ended whose hashes are about to go. */
  async remember(queue: string, state: FinishedState, ids: readonly string[]): Promise<void> {
    const pipeline = (await this.#client()).pipeline();
    for (const id of ids) {
      const { bucketKey, field } = dedupKey(this.#prefix, id);
      const jobKey = `${this.#prefix}:${queue}:${id}`;
      pipeline.runCommand(PLAIN_SCRIPTS.remember.name, [bucketKey, jobKey, field, ENDS[state]]);
    }
    valuesOf(await pipeline.exec());
  }

  /** Those of the ids that are known. */
  async known(ids: readonly string[]): Promise<string[]> {
    const client = await this.#client();
    const entries = await Promise.all(
      ids.map(async (id) => {
        const { bucketKey, field } = dedupKey(this.#prefix, id);
        return client.hget(bucketKey, field);
      }),
    );
    return ids.filter((_id, at) => entries[at] !== null);
  }

  /** What is known of each id: `L` its job's hash is there, another letter its job is gone, empty nothing. */
  async states(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const pipeline = (await this.#client()).pipeline();
    for (const id of ids) {
      const { bucketKey, field } = dedupKey(this.#prefix, id);
      pipeline.runCommand(PLAIN_SCRIPTS.entryState.name, [bucketKey, field]);
    }
    return valuesOf(await pipeline.exec()) as string[];
  }

  /** One page of each bucket in one round trip; the cursor after each, and how many entries were dropped. */
  async sweep(
    pages: readonly SweepPage[],
    retentionMs: number,
  ): Promise<[cursor: string, removed: number][]> {
    const pipeline = (await this.#client()).pipeline();
    for (const { bucketKey, idPrefix, cursor } of pages) {
      const args = [bucketKey, retentionMs, cursor, `${this.#prefix}:`, idPrefix];
      pipeline.runCommand(PLAIN_SCRIPTS.sweep.name, args);
    }
    return valuesOf(await pipeline.exec()) as [string, number][];
  }
}
