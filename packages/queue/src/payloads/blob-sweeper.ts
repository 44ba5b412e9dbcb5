import { jobOfOwner, type Blobs } from '@fairlane/blobs';
import type { DedupMemory } from '../dedup/dedup-memory.js';
import { describeError, type QueueLogger } from '../logging.js';
import { Periodic } from '../periodic.js';
import { isQueueUse } from './uses.js';

export interface BlobSweeperOptions {
  readonly blobs: Blobs;
  readonly memory: DedupMemory;
  readonly logger: QueueLogger;
}

const SWEEP_EVERY_MS = 60_000;
/** Sweeps of 100 blobs in one turn: 300,000 an hour and worker. */
const MAX_ROUNDS = 50;
/** What a crash left in the store and nobody knows of: looked for once a day, first an hour after the start. */
const FIRST_ORPHANS_MS = 3_600_000;
const ORPHANS_EVERY_MS = 24 * 3_600_000;

/**
 * Deletes blobs that no job needs any more. A payload, a source and a result are needed as long as there is the job,
 * whatever its state; what a handler stored as long as the dedup memory knows the job. Any number of processes may run it.
 */
export class BlobSweeper {
  readonly #options: BlobSweeperOptions;
  readonly #stopped = new AbortController();
  readonly #periodic: Periodic;
  #nextOrphansAtMs = performance.now() + FIRST_ORPHANS_MS;

  constructor(options: BlobSweeperOptions) {
    this.#options = options;
    this.#periodic = new Periodic({
      everyMs: SWEEP_EVERY_MS,
      run: async () => this.#turn(),
      onError: (error) => {
        if (this.#stopped.signal.aborted) return;
        options.logger.warn(describeError(error), 'the blob store was not swept');
      },
    });
  }

  start(): void {
    this.#periodic.start();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#periodic.stop();
  }

  /** One bounded step. @returns number of blobs deleted. */
  async sweep(): Promise<number> {
    const { blobs } = this.#options;
    let deleted = 0;
    for (let round = 0; round < MAX_ROUNDS && !this.#stopped.signal.aborted; round += 1) {
      const swept = await blobs.sweep({ stillNeeded: async (owners) => this.stillNeeded(owners) });
      deleted += swept.deleted;
      if (!swept.more) break;
    }
    return deleted;
  }

  /** Those of the owners of holds that need their blob still. */
  async stillNeeded(owners: readonly string[]): Promise<string[]> {
    const jobs = owners.map((owner) => jobOfOwner(owner) ?? '');
    const ids = [...new Set(jobs.filter((id) => id !== ''))];
    const states = await this.#options.memory.states(ids);
    const stateOf = new Map(ids.map((id, at) => [id, states[at] ?? '']));
    return owners.filter((owner, at) => {
      const state = stateOf.get(jobs[at] ?? '') ?? '';
      return isQueueUse(owner) ? state === 'L' : state !== '';
    });
  }

  async #turn(): Promise<void> {
    await this.sweep();
    if (performance.now() < this.#nextOrphansAtMs) return;
    this.#nextOrphansAtMs = performance.now() + ORPHANS_EVERY_MS;
    const { signal } = this.#stopped;
    const deleted = await this.#options.blobs.sweepOrphans({ signal });
    if (deleted > 0) this.#options.logger.info({ deleted }, 'blobs that nobody knew of are deleted');
  }
}
