import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlobs, createFileStore, type Blobs, type BlobStore } from '@fairlane/blobs';
import { createCatalogue, defineJob, defineLimitGroups, defineQueues } from '@fairlane/sdk';
import type { RedisInTests } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach } from 'vitest';
import { z } from 'zod';
import { BlobSweeper } from '../../src/payloads/blob-sweeper.js';
import type { Consumer, Producer } from '../../src/index.js';
import { World } from './world.js';

export const HOURS_MS = 3_600_000;

/** A job with a text of any size and a file, which are not part of its key. */
export const textJob = defineJob({
  name: 'text.send',
  payload: z.object({
    accountId: z.string(),
    parcel: z.string(),
    text: z.string().optional(),
    file: z.string().optional(),
  }),
  account: (p) => p.accountId,
  key: (p) => p.parcel,
  queue: 'parcels',
  sources: (p) => (p.file === undefined ? [] : [p.file]),
  retry: { attempts: 3, baseMs: 1, capMs: 10 },
});

export type Text = z.output<typeof textJob.payload>;

export const textCatalogue = createCatalogue({
  jobs: [textJob],
  queues: defineQueues({ parcels: { slots: 5 } }, { rules: [{ queue: 'parcels' }] }),
  limitGroups: defineLimitGroups({}),
});

/** Payloads in which the text has a size. */
export function text(bytes: number, more: Partial<Text> = {}): Text {
  return { accountId: 'acme', parcel: 'p-1', text: 'x'.repeat(bytes), ...more };
}

/** A {@link World} of text jobs with a blob store in a folder of the test. */
export class TextWorld extends World {
  readonly #server: RedisInTests;
  #opened: Blobs[] = [];
  directory = '';
  blobs!: Blobs;

  constructor(redis: RedisInTests) {
    super(redis);
    this.#server = redis;
    beforeEach(async () => {
      this.directory = await mkdtemp(join(tmpdir(), 'queue-payloads-'));
      this.blobs = this.openBlobs();
    });
    afterEach(async () => {
      for (const one of this.#opened.splice(0)) await one.close();
      await rm(this.directory, { recursive: true, force: true });
    });
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
