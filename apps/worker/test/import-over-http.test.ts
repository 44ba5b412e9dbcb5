import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { useRedis } from '@fairlane/testkit/vitest';
import { expect, test } from 'vitest';
import { startWorker } from './worker-process.js';

const redis = useRedis();
const API = fileURLToPath(new URL('../../api/src/main.ts', import.meta.url));
const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** The shipped API as a process of its own, from its sources. */
async function startApi(env: Record<string, string>) {
  const child = spawn(process.execPath, ['--conditions=fairlane-source', '--import=tsx', API], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, port } = JSON.parse(line) as { msg?: string; port?: number };
    if (msg !== 'listening') continue;
    child.stdout.resume();
    return {
      url: `http://127.0.0.1:${port}`,
      async [Symbol.asyncDispose]() {
        child.kill('SIGKILL');
        await exit;
      },
    };
  }
  throw new Error('the API ended at its start');
}

test('a CSV that is uploaded is imported by a worker, with its progress and its count in the view', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'worker-import-'));
  const token = randomBytes(32).toString('base64url');
  const tokens = [{ id: 'operator', role: 'operator', tokenHash: sha256(token).toString('hex') }];
  const env = {
    REDIS_URL: redis.url,
    FAIRLANE_PREFIX: redis.prefix,
    FAIRLANE_BLOB_STORE: `file:${directory}`,
  };
  await using api = await startApi({ ...env, API_PORT: '0', FAIRLANE_TOKENS: JSON.stringify(tokens) });
  await using _worker = await startWorker('shipped', {
    ...env,
    OUTREACH_GATEWAY_URL: 'http://127.0.0.1:1',
    WORKER_LEASE_MS: '5000',
  });
  const call = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const response = await fetch(api.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };

  const csv = `id,name\n${Array.from({ length: 5_000 }, (_, at) => `${at},person ${at}\n`).join('')}broken\n`;
  const upload = await call('PUT', '/v1/blobs', csv, {
    'content-type': 'text/csv',
    'content-digest': `sha-256=:${sha256(csv).toString('base64')}:`,
  });
  expect(upload).toMatchObject({ status: 201, json: { bytes: csv.length } });
  const { source, digest } = upload.json;
  const payload = JSON.stringify({ accountId: 'acme', source, digest });
  const job = await call('POST', '/v1/jobs/report.import', payload);
  expect(job).toMatchObject({ status: 202, json: { status: 'accepted' } });

  const view = async () => (await call('GET', `/v1/jobs/${String(job.json['id'])}`)).json;
  await expect.poll(async () => (await view())['state'], { timeout: 20_000 }).toBe('completed');
  expect(await view()).toMatchObject({
    progress: { percent: 100, bytes: csv.length, rows: 5_000, rejected: 1 },
    result: { columns: ['id', 'name'], rows: 5_000, rejected: 1 },
  });
  await rm(directory, { recursive: true, force: true });
});
