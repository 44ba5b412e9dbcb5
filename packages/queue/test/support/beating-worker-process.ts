import { implement } from '@fairlane/sdk';
import { createConsumer } from '../../src/index.js';
import { defineParcelJob, parcelCatalogue } from './parcels.js';

/** A worker with nothing to do that beats often, for a parent that stops and kills it. */
const [redis = '', prefix = ''] = process.argv.slice(2);
const job = defineParcelJob();
const consumer = createConsumer({
  redis,
  prefix,
  catalogue: parcelCatalogue(job),
  queues: { parcels: { slots: 1 } },
  implementations: [implement(job, async () => undefined)],
  beatEveryMs: 100,
});
await consumer.start();
