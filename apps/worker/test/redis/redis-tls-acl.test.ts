import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectRedis, createLogger } from '@fairlane/runtime';
import { freePort, hasOpenssl, makeCertificates } from '@fairlane/testkit';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openOutreachJobs } from '../support/outreach-jobs.js';
import { openOutside } from '../support/outside.js';
import { runToEnd, startWorker } from '../support/worker-process.js';

const PASSWORD = 'p@ss:w/rd';
const PREFIX = '{fairlane}';

/** What operators are told to set is what is tested. */
const manual = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
const rules = /^ACL SETUSER fairlane (.+)$/m.exec(manual)?.[1]?.replace('PASSWORD', PASSWORD) ?? '';

const isPossible = (await hasOpenssl()) || process.env['CI'] === 'true';
const dir = await mkdtemp(join(tmpdir(), 'fairlane-tls-'));
const files = isPossible ? await makeCertificates(dir) : undefined;
const tlsPort = await freePort();
const redis = useRedis({
  config: files
    ? {
        'tls-port': String(tlsPort),
        'tls-cert-file': files.cert,
        'tls-key-file': files.key,
        'tls-ca-cert-file': files.ca,
        'tls-auth-clients': 'no',
      }
    : {},
});

const urlOf = (scheme: string, port: number): string =>
  `${scheme}://fairlane:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;

/** What Redis has refused the user since the last look. */
async function refusals(): Promise<string[]> {
  const log = (await redis.client.call('ACL', 'LOG')) as unknown[];
  await redis.client.call('ACL', 'LOG', 'RESET');
  return log.map((entry) => JSON.stringify(entry));
}

describe.skipIf(!isPossible)('Redis with TLS and a user of its own', () => {
  beforeAll(async () => {
    await redis.client.call('ACL', 'SETUSER', 'fairlane', ...rules.split(' '));
  });
  afterAll(async () => rm(dir, { recursive: true, force: true }));

  test(
    'a worker runs jobs with the documented rights, over TLS with an authority named by NODE_EXTRA_CA_CERTS',
    { timeout: 120_000 },
    async () => {
      await using outside = await openOutside();
      outside.answer(({ body }) => (body === 'bad' ? 422 : 200));
      const jobs = openOutreachJobs(urlOf('redis', redis.server.port), PREFIX);
      await refusals();
      await using worker = await startWorker('shipped', {
        REDIS_URL: urlOf('rediss', tlsPort),
        NODE_EXTRA_CA_CERTS: files?.ca ?? '',
        FAIRLANE_PREFIX: PREFIX,
        OUTREACH_GATEWAY_URL: outside.url,
      });
      const ids = [...(await jobs.enqueue(5)), ...(await jobs.enqueue(1, 'bad'))];
      await expect
        .poll(async () => jobs.statesOf(ids))
        .toEqual([...Array.from({ length: 5 }, () => 'completed'), 'dead']);
      const clients = String(await redis.client.client('LIST'));
      expect(clients).toContain(`user=fairlane`);
      worker.signal('SIGTERM');
      expect(await worker.exit).toBe(0);
      expect(await refusals()).toEqual([]);
      await jobs.close();
    },
  );

  test('the same user can neither flush, nor change settings, nor touch keys of others', async () => {
    const logger = createLogger({ app: 'test', level: 'silent' });
    const client = connectRedis(urlOf('redis', redis.server.port), { name: 'test', logger });
    await new Promise((resolve) => client.once('ready', resolve));
    for (const [command, ...args] of [
      ['FLUSHALL'],
      ['CONFIG', 'SET', 'maxmemory', '1'],
      ['KEYS', '*'],
      ['SET', 'other', '1'],
      ['ACL', 'LIST'],
    ]) {
      await expect(client.call(command as string, ...args)).rejects.toThrow(/NOPERM/);
    }
    client.disconnect();
    await refusals();
  });

  test(
    'workers without the authority or with a wrong password end with one message that names what to check',
    {
      timeout: 120_000,
    },
    async () => {
      const urls = [urlOf('rediss', tlsPort), `redis://fairlane:wrong@127.0.0.1:${redis.server.port}`];
      const ends = await Promise.all(
        urls.map(async (url) =>
          runToEnd({ REDIS_URL: url, OUTREACH_GATEWAY_URL: 'http://outreach.invalid' }),
        ),
      );
      for (const { code, stdout } of ends) {
        expect(code).toBe(1);
        expect(stdout).toContain('check REDIS_URL and the server');
        expect(stdout).not.toContain('wrong@');
      }
      await refusals();
    },
  );
});
