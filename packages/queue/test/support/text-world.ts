import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlobs, createFileStore, type Blobs, type BlobStore } from '@fairlane/blobs';
import type { RedisInTests } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach } from 'vitest';
import { BlobSweeper } from '../../src/payloads/blob-sweeper.js';
import type { Consumer, Producer } from '../../src/index.js';
import { textCatalogue, textJob, type Text } from './text-job.js';
import { World } from './world.js';

export const HOURS_MS = 3_600_000;

/** A {@link World} of text jobs with a blob store in a folder of the test. */
export class TextWorld extends World {
  readonly #server: RedisInTests;
  #opened: Blobs[] = [];
  #root = '';
  directory = '';
  blobs!: Blobs;

  constructor(redis: RedisInTests) {
    super(redis);
    this.#server = redis;
    beforeEach(async () => {
      this.#root = await mkdtemp(join(tmpdir(), 'queue-payloads-'));
      await this.enter('first');
    });
    afterEach(async () => {
      for (const one of this.#opened.splice(0)) await one.close();
      await rm(this.#root, { recursive: true, force: true });
    });
  }

  /** Goes on with an empty store. */
  async enter(name: string): Promise<void> {
    this.directory = join(this.#root, name);
    await mkdir(this.directory);
    this.blobs = this.openBlobs();
  }

  openBlobs(options: { store?: BlobStore; nowMs?: () => number } = {}): Blobs {
    const { url, prefix } = this.#server;
    const one = createBlobs({ store: createFileStore(this.directory), redis: url, prefix, ...options });
    this.#opened.push(one);
    return one;
  }

  override producer(options: Parameters<World['producer']>[0] = {}): Producer {
    return super.producer({ catalogue: textCatalogue, blobs: this.blobs, ...options });
  }

  /** A started consumer that runs text jobs. */
  async consume(
    run: (payload: Text) => unknown,
    options: Parameters<World['unstartedConsumer']>[1] = {},
  ): Promise<Consumer> {
    const implementation = { contract: textJob, run: async (payload: unknown) => run(payload as never) };
    const consumer = this.unstartedConsumer([implementation], {
      catalogue: textCatalogue,
      blobs: this.blobs,
      ...options,
    });
    await consumer.start();
    return consumer;
  }

  /** Objects that lie in the store. */
  async files(): Promise<string[]> {
    const objects = join(this.directory, 'objects');
    const entries = await readdir(objects, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  /** A sweep so much later that no hold lasts. */
  async sweepIn(hours: number): Promise<void> {
    const later = this.openBlobs({ nowMs: () => Date.now() + hours * HOURS_MS });
    await new BlobSweeper({ blobs: later, memory: this.memory(), logger: this.logger }).sweep();
  }
}
