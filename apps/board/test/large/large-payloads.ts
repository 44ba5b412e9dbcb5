import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startGuardedProcess } from '@fairlane/testkit';
import { expect, vi } from 'vitest';
import type { ConsoleInTests } from '../open-console.js';

const workerMain = fileURLToPath(new URL('../../../worker/src/main.ts', import.meta.url));
export const LARGE_BYTES = 3_000_000;

export interface LargePayloads {
  /** A dead job whose payload lies in the blob store. */
  checkedId: string;
  /** Waiting jobs with that much data inside of Redis, as a producer adds them that is not ours. */
  inlineIds: string[];
}

interface AddOptions {
  redis: string;
  blobStore: string;
  inlineCount: number;
}

/** Jobs with 3 MB each: one by claim check over the API, taken by a shipped worker, others added past the product. */
export async function addLargePayloads(
  { api, campaign, prefix }: ConsoleInTests,
  { redis, blobStore, inlineCount }: AddOptions,
): Promise<LargePayloads> {
  const text = 'x'.repeat(LARGE_BYTES);
  const url = 'https://hooks.example.com/nobody-registered-it';
  const response = await fetch(`${api.url}/v1/jobs/webhook.deliver`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.tokens.operator}`, 'content-type': 'application/json' },
    body: JSON.stringify({ accountId: 'large', eventId: 'e-1', url, event: 'report.made', body: { text } }),
  });
  if (response.status !== 202) throw new Error(`not accepted: ${await response.text()}`);
  const { id: checkedId } = (await response.json()) as { id: string };
  const webhooks = campaign.queues.find(({ name }) => name === 'webhooks');
  await runWorker({ redis, blobStore, prefix }, () =>
    vi.waitFor(async () => expect(await webhooks?.getJobCountByTypes('failed')).toBe(1), {
      timeout: 20_000,
      interval: 50,
    }),
  );

  const outreach = campaign.queues.find(({ name }) => name === 'outreach');
  const inlineIds: string[] = [];
  for (let added = 0; added < inlineCount; added += 1) {
    // Of the product's form, so that they can be asked for by id.
    const jobId = `inline-${added}`.padEnd(22, '-');
    await outreach?.add('outreach.send', { accountId: 'large', text, added }, { jobId });
    inlineIds.push(jobId);
  }
  return { checkedId, inlineIds };
}

/** The shipped worker as a process of its own, for as long as `work` takes. */
async function runWorker(
  { redis, blobStore, prefix }: { redis: string; blobStore: string; prefix: string },
  work: () => Promise<unknown>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlane-large-'));
  const logFd = openSync(join(folder, 'worker.log'), 'a');
  const { PATH, HOME } = process.env;
  const worker = await startGuardedProcess({
    command: process.execPath,
    args: ['--conditions=fairlane-source', '--import=tsx', workerMain],
    env: {
      PATH,
      HOME,
      REDIS_URL: redis,
      FAIRLANE_PREFIX: prefix,
      FAIRLANE_BLOB_STORE: blobStore,
      WORKER_QUEUES: 'webhooks:1-1',
      WORKER_HEALTH_PORT: '0',
      OUTREACH_GATEWAY_URL: 'http://outreach.invalid',
    },
    logFd,
  });
  closeSync(logFd);
  try {
    await work();
  } catch (error) {
    throw new Error(readFileSync(join(folder, 'worker.log'), 'utf8'), { cause: error });
  } finally {
    await worker.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
