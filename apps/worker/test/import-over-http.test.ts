import { createHash } from 'node:crypto';
import { startFaultProxy } from '@fairlane/testkit';
import { temporaryFolder, useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startApi, type ApiProcess } from './support/api-process.js';
import { startWorker } from './support/worker-process.js';

const redis = useRedis();

interface Progress {
  readonly percent: number;
  readonly rows: number;
}

function environment(): Record<string, string> {
  return {
    REDIS_URL: redis.url,
    FAIRLANE_PREFIX: redis.prefix,
    FAIRLANE_BLOB_STORE: `file:${temporaryFolder()}`,
    OUTREACH_GATEWAY_URL: 'http://127.0.0.1:1',
    WORKER_LEASE_MS: '5000',
    WORKER_QUEUES: 'bulk:1-1',
  };
}

/** Uploads a CSV and has it imported. @returns the view of the job, whenever it is asked for. */
async function importing(api: ApiProcess, csv: string): Promise<() => Promise<Record<string, unknown>>> {
  const hash = createHash('sha256').update(csv).digest('base64');
  const upload = await api.call('PUT', '/v1/blobs', csv, {
    'content-type': 'text/csv',
    'content-digest': `sha-256=:${hash}:`,
  });
  expect(upload).toMatchObject({ status: 201, json: { bytes: csv.length } });
  const { source, digest } = upload.json;
  const payload = JSON.stringify({ accountId: 'acme', source, digest });
  const job = await api.call('POST', '/v1/jobs/report.import', payload);
  expect(job).toMatchObject({ status: 202, json: { status: 'accepted' } });
  return async () => (await api.call('GET', `/v1/jobs/${String(job.json['id'])}`)).json;
}

/** Effects of a view but for one that was under way, by name and time of their last change. */
function effectsOf(job: Record<string, unknown>, except: string): { name: string; at: string }[] {
  return (job['effects'] as { name: string; at: string }[]).filter(({ name }) => name !== except);
}

describe('a CSV that is uploaded', () => {
  it('is imported by a worker, with its progress and its count in the view', async () => {
    const env = environment();
    await using api = await startApi(env);
    await using _worker = await startWorker('shipped', env);
    const csv = `id,name\n${Array.from({ length: 5_000 }, (_, at) => `${at},person ${at}\n`).join('')}broken\n`;
    const view = await importing(api, csv);
    await expect.poll(async () => (await view())['state'], { timeout: 60_000 }).toBe('completed');
    expect(await view()).toMatchObject({
      progress: { percent: 100, bytes: csv.length, rows: 5_000, rejected: 1 },
      result: { columns: ['id', 'name'], rows: 5_000, rejected: 1 },
    });
  }, 90_000);

  it('shows how far its import is, and goes on from there after a SIGKILL of the worker', async () => {
    const env = environment();
    const wire = await startFaultProxy({ target: { port: redis.server.port } });
    onTestFinished(() => wire.close());
    // The import stands still when the ledger is told that a segment begins: what came before it is done.
    const beginOf = async (segment: number) => wire.stopAt('toServer', `segment-${segment}`);
    const second = beginOf(2);
    await using api = await startApi(env);
    await using victim = await startWorker('shipped', {
      ...env,
      REDIS_URL: `redis://127.0.0.1:${wire.port}`,
    });
    // Segments of a mebibyte: five of them.
    const rows = Array.from({ length: 1_000 }, (_, at) => `${at},${'x'.repeat(5_000)}\n`);
    const view = await importing(api, `id,text\n${rows.join('')}`);

    const stopped = await second;
    const early = await view();
    const fourth = beginOf(4);
    await stopped.release();
    await fourth;
    const late = await view();
    victim.signal('SIGKILL');
    await victim.exit;

    const [before, after] = [early['progress'] as Progress, late['progress'] as Progress];
    expect([early['state'], late['state']]).toEqual(['active', 'active']);
    expect(before.percent).toBeGreaterThan(0);
    expect(after.rows).toBeGreaterThan(before.rows);
    expect(after.percent).toBeLessThan(100);

    await using _successor = await startWorker('shipped', env);
    await expect.poll(async () => (await view())['state'], { timeout: 60_000 }).toBe('completed');
    const done = await view();
    expect(done).toMatchObject({
      progress: { percent: 100, rows: 1_000 },
      result: { rows: 1_000 },
      stalls: 1,
    });
    // By name and time: what was done before is not done again.
    expect(effectsOf(late, 'segment-4').map(({ name }) => name)).toEqual([
      'header',
      'segment-1',
      'segment-2',
      'segment-3',
    ]);
    expect(effectsOf(done, 'segment-4')).toEqual([
      ...effectsOf(late, 'segment-4'),
      expect.objectContaining({ name: 'segment-5' }),
    ]);
  }, 90_000);
});
