import { startS3, type S3Server } from '@fairlane/testkit';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterAll, beforeAll } from 'vitest';
import { createS3Store } from './stores/s3-store.js';
import { describeCrashes } from '../test/support/crash-suite.js';
import { connectTo } from '../test/support/s3-client.js';

const redis = useRedis();

let s3: S3Server;

beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.stop());

describeCrashes(redis, async (prefix) => {
  const { url, bucket } = s3;
  const open = () => createS3Store({ client: connectTo(url), bucket, prefix });
  return {
    location: { directory: '', s3: { url, bucket } },
    open,
    left: async () => {
      const store = open();
      const ids: string[] = [];
      for await (const { id } of store.list({ beforeMs: Infinity })) ids.push(id);
      await store.close();
      return ids;
    },
    // No time of an object can be set in S3; none is left here that nobody knows.
    age: async () => undefined,
  };
});
