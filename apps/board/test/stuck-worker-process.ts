import { catalogue, outreachSend } from '@fairlane/jobs/contracts';
import { createConsumer } from '@fairlane/queue';
import { implement } from '@fairlane/sdk';

/** A worker whose handler never ends and that beats often, for a parent that stops and kills it. */
const [redis = '', prefix = ''] = process.argv.slice(2);
const consumer = createConsumer({
  redis,
  prefix,
  catalogue,
  queues: { outreach: { slots: 2 } },
  implementations: [implement(outreachSend, () => new Promise(() => undefined))],
  leaseMs: 2_000,
  beatEveryMs: 100,
});
await consumer.start();
