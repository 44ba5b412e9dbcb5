import { createEffectRunner, createRedisLedger } from '@fairlane/ledger';
import { createConsumer } from '../../src/index.js';
import { crashingContract, crashingJob } from './crashing-job.js';
import type { CrashPoint } from './harness.js';
import { contractCatalogue } from './note-job.js';

/**
 * A worker that stands still at the point that it is given for each job, by note, and says so; its parent kills it.
 * Nothing of the product knows: the ledger and the handler are held up from outside.
 */
const [redis = '', prefix = '', leaseMs = '', points = '{}'] = process.argv.slice(2);
const pointOf = JSON.parse(points) as Record<string, CrashPoint>;

async function standStill(note: string): Promise<never> {
  process.stdout.write(`at ${note}\n`);
  return new Promise(() => undefined);
}

const noteById = new Map<string, string>();

/** Where a job's process stands still before the ledger hears of that step. */
async function orStandStill<R>(point: CrashPoint, jobId: string, step: () => Promise<R>): Promise<R> {
  const note = noteById.get(jobId) ?? '';
  return pointOf[note] === point ? standStill(note) : step();
}

const ledger = createRedisLedger({ redis, prefix });
const { begin, record } = { begin: ledger.begin.bind(ledger), record: ledger.record.bind(ledger) };
ledger.begin = async (request) => orStandStill('before_perform', request.jobId, async () => begin(request));
ledger.record = async (request) => orStandStill('after_perform', request.jobId, async () => record(request));

const consumer = createConsumer({
  redis,
  prefix,
  catalogue: contractCatalogue(crashingContract),
  queues: { parcels: { slots: 10 } },
  leaseMs: Number(leaseMs),
  effects: createEffectRunner({ ledger }),
  implementations: [
    {
      ...crashingJob,
      run: async (payload, context) => {
        const { note } = payload as { note: string };
        noteById.set(context.job.id, note);
        const result = await crashingJob.run(payload as never, context);
        return pointOf[note] === 'before_finish' ? standStill(note) : result;
      },
    },
  ],
});
await consumer.start();
