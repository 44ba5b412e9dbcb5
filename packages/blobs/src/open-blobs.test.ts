import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { useRedis } from '@fairlane/testkit/vitest';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openBlobs } from './open-blobs.js';

const redis = useRedis();
const options = () => ({ redis: redis.url, prefix: redis.prefix, onError: () => undefined });

it('says at once which variable names a store that cannot be used, and why', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'blobs-open-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'a-file'), '');
  await expect(openBlobs(`file:${folder}/a-file`, options())).rejects.toThrow(
    /^the blob store cannot be used, check FAIRLANE_BLOB_STORE: ENOTDIR/,
  );
});

it('does not wait for ever for a store that answers nothing', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(openBlobs('s3://files/jobs', { ...options(), checkMs: 300 })).rejects.toThrow(
    /check FAIRLANE_BLOB_STORE: it has not answered within 300 ms/,
  );
});
