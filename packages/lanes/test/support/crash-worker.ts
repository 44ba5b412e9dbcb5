/**
 * A worker process for crash tests: notes in a stream when the outside sees a call begin and end.
 * Arguments: URL, prefix.
 */
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { createLaneBackend } from '../../src/index.js';

const [url, prefix] = process.argv.slice(2);
const outside = new Redis(url!);

async function note(what: string, account: string, jobId: string): Promise<void> {
  await outside.xadd(
    `${prefix}outside`,
    '*',
    'what',
    what,
    'account',
    account,
    'job',
    jobId,
    'pid',
    process.pid,
  );
}

const worker = new Worker(
  'queue',
  async (job) => {
    await note('begin', job.name, job.id!);
    // Long enough to be killed in.
    await new Promise((resolve) => {
      setTimeout(resolve, 20 + Math.random() * 60);
    });
    await note('end', job.name, job.id!);
  },
  {
    connection: { url: url! },
    prefix: prefix!,
    concurrency: 4,
    // Not shorter: a busy machine must not make a claim expire whose call is under way.
    lockDuration: 2_000,
    stalledInterval: 400,
    maxStalledCount: 1_000,
  },
  createLaneBackend({ graceMs: 500 }),
);
worker.on('error', () => undefined);
await worker.waitUntilReady();
await note('ready', '', '');
