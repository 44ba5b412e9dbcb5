import { implement } from '@fairlane/sdk';
import { createConsumer } from '../../src/index.js';
import { defineParcelJob, parcelCatalogue } from './parcels.js';

/** A worker whose handler never ends; its parent kills it. Says `running ID` once a job runs. */
const [url = '', prefix = '', leaseMs = '30000'] = process.argv.slice(2);
const job = defineParcelJob();
const consumer = createConsumer({
  redis: url,
  prefix,
  catalogue: parcelCatalogue(job),
  queues: { parcels: { slots: 1 } },
  leaseMs: Number(leaseMs),
  implementations: [
    implement(job, async (_payload, ctx) => {
      process.stdout.write(`running ${ctx.job.id}\n`);
      await new Promise(() => undefined);
    }),
  ],
});
await consumer.start();
