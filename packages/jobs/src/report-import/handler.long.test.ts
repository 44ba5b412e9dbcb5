import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ImportProcessInput, ImportProcessOutput } from '../testing-support/import-process.js';

const redis = useRedis();
const program = fileURLToPath(new URL('../testing-support/import-process.ts', import.meta.url));

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'report-import-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function importOf(rows: number): Promise<ImportProcessOutput> {
  const input: ImportProcessInput = { redisUrl: redis.url, prefix: `{rows-${rows}}`, directory, rows };
  // A small heap lets the collector keep up: without it a process takes what the machine has.
  const options = [
    '--max-old-space-size=96',
    '--no-warnings',
    '--conditions',
    'fairlane-source',
    '--import',
    'tsx',
  ];
  const args = [...options, program, JSON.stringify(input)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as ImportProcessOutput;
}

it('R14 imports 1,000,000 lines in the memory of 100,000', async () => {
  const small = await importOf(100_000);
  const large = await importOf(1_000_000);
  expect(large).toMatchObject({ state: 'completed', rows: 999_000, rejected: 1_000 });
  expect(large.segments).toBeGreaterThan(small.segments);
  expect(large.progress).toBe(large.segments);
  expect(large.maxRssBytes).toBeLessThan(small.maxRssBytes * 1.5);
  expect(large.maxRssBytes).toBeLessThan(300 * 1024 * 1024);
});
