import { startS3, type S3Server } from '@fairlane/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlobStore } from '../blob-store.js';
import { connectTo } from '../../test/support/s3-client.js';
import { describeStoreContract } from '../testing-support/store-contract.js';
import { newObjectId } from './object-id.js';
import { openBlobStore } from './open-blob-store.js';
import { createS3Store } from './s3-store.js';

let s3: S3Server;
let store: BlobStore;

beforeAll(async () => {
  s3 = await startS3();
  store = createS3Store({ client: connectTo(s3.url), bucket: s3.bucket, prefix: 'deep/er' });
});
afterAll(async () => {
  await store.close();
  await s3.stop();
});

describe('the S3 store', () => {
  describeStoreContract(() => store);

  it('keeps to its prefix', async () => {
    const other = createS3Store({ client: connectTo(s3.url), bucket: s3.bucket, prefix: 'other' });
    const id = newObjectId();
    await other.put(id, body('x'));
    expect(await store.head(id)).toBeUndefined();
    for await (const found of store.list({ beforeMs: Infinity })) expect(found.id).not.toBe(id);
    await other.close();
  });

  it('says that there is no such bucket', async () => {
    const nowhere = createS3Store({ client: connectTo(s3.url), bucket: 'nowhere' });
    await expect(nowhere.check()).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } });
    await expect(nowhere.get(newObjectId())).rejects.toMatchObject({ name: 'NoSuchBucket' });
    await nowhere.close();
  });
});

describe('openBlobStore', () => {
  it('reaches a server that the environment names', async () => {
    const names = Object.keys(s3.env);
    const before = names.map((name) => process.env[name]);
    Object.assign(process.env, s3.env);
    try {
      const opened = await openBlobStore(`s3://${s3.bucket}/opened/`);
      const id = newObjectId();
      await opened.put(id, body('x'));
      expect(await opened.head(id)).toMatchObject({ bytes: 1 });
      await opened.close();
      const direct = createS3Store({ client: connectTo(s3.url), bucket: s3.bucket, prefix: 'opened' });
      expect(await direct.head(id)).toMatchObject({ bytes: 1 });
      await direct.close();
    } finally {
      for (const [at, name] of names.entries()) {
        if (before[at] === undefined) delete process.env[name];
        else process.env[name] = before[at];
      }
    }
  });

  it.each(['file:', 's3://', 'http://example.com/', '/var/blobs', ''])(
    'does not take %j',
    async (location) => {
      await expect(openBlobStore(location)).rejects.toThrow('file:DIR or s3://BUCKET/PREFIX');
    },
  );
});

async function* body(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
