import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createBlobs, createFileStore, parseSource, type Blobs } from '@fairlane/blobs';
import { createTestJob } from '@fairlane/sdk/testing';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generatedCsv, WRONG_EVERY } from '../testing-support/generated-csv.js';
import { createReportImport, MAX_LISTED_PROBLEMS, type ImportResult } from './handler.js';

const redis = useRedis();
const MAX_BYTES = 256 * 1024 * 1024;

let directory: string;
let blobs: Blobs;
/** Bytes at which the file was opened. */
let opened: number[];
/** What an attempt that "crashed" in memory leaves open, and a process would not. */
let bodies: Readable[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'report-import-'));
  blobs = createBlobs({ store: createFileStore(directory), redis: redis.url, prefix: redis.prefix });
  opened = [];
  bodies = [];
});

afterEach(async () => {
  for (const body of bodies) body.destroy();
  await blobs.close();
  await rm(directory, { recursive: true, force: true });
});

async function upload(csv: string | AsyncIterable<Uint8Array>) {
  const body = typeof csv === 'string' ? Buffer.from(csv) : csv;
  return blobs.put(body, { owner: 'upload', holdMs: 60_000, maxBytes: MAX_BYTES });
}

function importing({ source, digest }: { source: string; digest: string }) {
  const watched: Pick<Blobs, 'put' | 'size' | 'read'> = {
    ...blobs,
    read: async (from, options) => {
      opened.push(options?.start ?? 0);
      const body = await blobs.read(from, options);
      bodies.push(body);
      return body;
    },
  };
  return createTestJob(createReportImport({ blobs: watched }), { accountId: 'acme', source, digest });
}

async function importOf(csv: string) {
  const job = importing(await upload(csv));
  await job.run();
  return job;
}

/** All rows of an import, read back from its segments. */
async function rowsOf({ segments, columns }: ImportResult): Promise<string[][]> {
  const rows: string[][] = [];
  for (const { source } of segments) {
    const text = (await blobs.readAll(source, { maxBytes: MAX_BYTES })).toString();
    const [header, ...lines] = text.trimEnd().split('\n');
    expect(JSON.parse(header ?? '')).toEqual(columns);
    rows.push(...lines.map((line) => JSON.parse(line) as string[]));
  }
  return rows;
}

describe('report.import', () => {
  it('keeps sound rows and says what is wrong with the others', async () => {
    const job = await importOf('id,name\n1,"Ann, A."\n2\n3,5" pipe\n\n4,Zoë\r\n');
    expect(job.state).toBe('completed');
    expect(job.result).toMatchObject({
      columns: ['id', 'name'],
      rows: 2,
      rejected: 2,
      problems: [
        { line: 3, problem: 'has 1 fields where the header has 2' },
        { line: 4, problem: 'a quote is opened and never closed' },
      ],
    });
    expect(await rowsOf(job.result as ImportResult)).toEqual([
      ['1', 'Ann, A.'],
      ['4', 'Zoë'],
    ]);
    expect(job.info).toMatchObject({ limitGroup: 'default' });
  });

  it('imports a file that has columns and no row', async () => {
    const { result } = await importOf('id,name');
    expect(result).toMatchObject({ rows: 0, rejected: 0 });
    expect(await rowsOf(result as ImportResult)).toEqual([]);
  });

  it.each([
    ['no file', '', 'the file is empty'],
    ['a column without a name', 'a,,c\n', 'column 2 has no name'],
    ['two columns of one name', 'a,b, a\n', 'two columns have the name a'],
    ['a header that cannot be read', '"a,b\n', 'line 1: a quote is opened and never closed'],
    ['too many columns', `${'c,'.repeat(300)}c\n`, 'more than 256 columns'],
    ['endless names', `${'x'.repeat(20_000)},b\n`, 'more than 16384 bytes'],
  ])('is dead at once for %s', async (_what, csv, reason) => {
    const job = await importOf(csv);
    expect(job).toMatchObject({ state: 'dead', deadCode: 'invalid_payload', attempts: { made: 1 } });
    expect(job.lastError?.reason).toContain(reason);
  });

  it('is dead at once for a file that is gone, or damaged', async () => {
    const held = await upload('id\n1\n');
    const { id = '' } = parseSource(held.source) ?? {};
    await writeFile(join(directory, 'objects', id.slice(0, 2), id), 'id\n2\n');
    const damaged = importing(held);
    await damaged.run();
    expect(damaged).toMatchObject({ state: 'dead', lastError: { reason: 'The stored file is damaged.' } });

    await rm(join(directory, 'objects', id.slice(0, 2), id));
    const gone = importing(held);
    await gone.run();
    expect(gone).toMatchObject({ state: 'dead', deadCode: 'target_gone' });
  });

  it('R14 lists so many problems and counts all', async () => {
    const { result } = await importOf(`id\n${'1,2\n'.repeat(250)}`);
    expect(result).toMatchObject({ rows: 0, rejected: 250 });
    expect((result as ImportResult).problems).toHaveLength(MAX_LISTED_PROBLEMS);
  });

  it('streams 50,000 lines in segments, with progress', async () => {
    const job = importing(await upload(generatedCsv(50_000)));
    expect(await job.run()).toBe('completed');
    const result = job.result as ImportResult;
    expect(result).toMatchObject({ rows: 49_950, rejected: 50 });
    expect(result.segments.length).toBeGreaterThan(1);
    expect((await rowsOf(result)).map(([id]) => Number(id))).toEqual(
      Array.from({ length: 50_000 }, (_value, row) => row).filter((row) => row % WRONG_EVERY !== 0),
    );
    expect(job.progress.at(-1)).toMatchObject({ percent: 100, rows: 49_950, rejected: 50 });
    expect(job.progress).toHaveLength(result.segments.length);
    expect(opened).toEqual([0]);
  });

  it.each(['before_perform', 'after_perform'] as const)(
    'goes on where it was after a crash, with the result of one without: %s',
    async (point) => {
      const held = await upload(generatedCsv(50_000));
      const whole = importing(held);
      await whole.run();
      opened = [];

      const job = importing(held).crashAt(point, 'segment-2');
      expect(await job.run()).toBe('completed');
      expect(job.result).toEqual(whole.result);
      const [first] = whole.progress as { bytes: number }[];
      expect(opened).toEqual([0, first?.bytes]);
      expect(job.effects['segment-1']).toMatchObject({ performed: 1 });
      expect(job.effects['segment-2']).toMatchObject({ performed: point === 'before_perform' ? 1 : 2 });
    },
  );

  it('reads nothing again after a crash at the end', async () => {
    const job = importing(await upload(generatedCsv(5_000))).crashAt('before_finish');
    expect(await job.run()).toBe('completed');
    expect(opened).toEqual([0]);
  });

  it('keeps what it stored as long as the job', async () => {
    const job = importing(await upload('id\n1\n'));
    await job.run();
    const [segment] = (job.result as ImportResult).segments;
    const owners: string[] = [];
    const later = createBlobs({
      store: createFileStore(directory),
      redis: redis.url,
      prefix: redis.prefix,
      nowMs: () => Date.now() + 86_400_000,
    });
    await later.sweep({
      stillNeeded: async (asked) => {
        owners.push(...asked);
        return asked.filter((owner) => owner.startsWith(`job:${job.info.id}:`));
      },
    });
    await later.close();
    expect(owners).toContain(`job:${job.info.id}:segment-1`);
    expect(await blobs.size(segment?.source ?? '')).toBeGreaterThan(0);
  });
});

describe('its payload', () => {
  const digest = createHash('sha256').update('x').digest('hex');
  const source = `blob:${digest}.${'A'.repeat(22)}`;

  it.each([
    ['a URL', { source: 'https://example.com/report.csv' }],
    ['a file URL', { source: 'file:///etc/passwd' }],
    ['a path', { source: '/etc/passwd' }],
    ['a path behind a source', { source: `${source}/../../etc/passwd` }],
    ['the digest of another file', { digest: '0'.repeat(64) }],
  ])('names only uploads, and not %s', (_what, changes) => {
    expect(() => importing({ source, digest, ...changes })).toThrow('payload of report.import refused');
  });
});
