import { createBlobs, openBlobStore } from '@fairlane/blobs';
import { startS3 } from '@fairlane/testkit';
import { useOutside, useRedis } from '@fairlane/testkit/vitest';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startApi } from './support/api-process.js';
import { startWorker } from './support/worker-process.js';

const redis = useRedis();
const gateway = useOutside();

test('A30 a large payload goes from the API to the worker through S3, and leaves it with its job', async () => {
  const s3 = await startS3();
  onTestFinished(() => s3.stop());
  const location = `s3://${s3.bucket}/shipped`;
  const env = {
    ...s3.env,
    REDIS_URL: redis.url,
    FAIRLANE_PREFIX: redis.prefix,
    FAIRLANE_BLOB_STORE: location,
    OUTREACH_GATEWAY_URL: gateway.url,
    WORKER_LEASE_MS: '5000',
    WORKER_QUEUES: 'outreach:1-1',
  };
  for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const store = await openBlobStore(location);
  const blobs = createBlobs({ store, redis: redis.url, prefix: redis.prefix });
  onTestFinished(() => blobs.close());
  const objects = async () => {
    let count = 0;
    for await (const _object of store.list({ beforeMs: Infinity })) count += 1;
    return count;
  };

  await using api = await startApi(env);
  await using _worker = await startWorker('shipped', env);
  const body = 'x'.repeat(90_000);
  const submit = async (leadId: string) => {
    const message = { accountId: 'acme', leadId, step: 1, campaignRev: 1, channel: 'crm', to: 'a@b.example' };
    const { status, json } = await api.call(
      'POST',
      '/v1/jobs/outreach.send',
      JSON.stringify({ ...message, body }),
    );
    expect([status, json]).toMatchObject([202, { status: 'accepted' }]);
    return String(json['id']);
  };
  const stateOf = async (id: string) => (await api.call('GET', `/v1/jobs/${id}`)).json['state'];

  gateway.answerWith({ body: { id: 'm-1' } }, { status: 404 });
  const sent = await submit('lead-1');
  await expect.poll(() => stateOf(sent), { timeout: 60_000 }).toBe('completed');
  expect(gateway.calls.map((call) => (call.body as { body: string }).body === body)).toEqual([true]);
  expect(await objects()).toBe(1);

  const dead = await submit('lead-2');
  await expect.poll(() => stateOf(dead), { timeout: 60_000 }).toBe('dead');
  expect(await objects()).toBe(2);
  const purged = await api.call('DELETE', `/v1/dead-letters/${dead}`);
  expect(purged.status).toBe(204);
  // What a worker does once a minute.
  await blobs.sweep({ stillNeeded: async (owners) => owners });
  expect(await objects()).toBe(1);
}, 120_000);
