import { createBlobs, createFileStore } from '@fairlane/blobs';
import { createTestJob } from '@fairlane/sdk/testing';
import { createReportImport, type ImportResult } from '../report-import/handler.js';
import { generatedCsv } from './generated-csv.js';

export interface ImportProcessInput {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly directory: string;
  readonly rows: number;
}

export interface ImportProcessOutput {
  readonly state: string;
  readonly rows: number;
  readonly rejected: number;
  readonly segments: number;
  readonly progress: number;
  readonly maxRssBytes: number;
}

// A process of its own, so that what it needed at most can be told: uploads a generated file and imports it.
const input = JSON.parse(process.argv[2] ?? '{}') as ImportProcessInput;
const blobs = createBlobs({
  store: createFileStore(input.directory),
  redis: input.redisUrl,
  prefix: input.prefix,
});
const upload = { owner: 'upload', holdMs: 600_000, maxBytes: 256 * 1024 * 1024 };
const { source, digest } = await blobs.put(generatedCsv(input.rows), upload);
const job = createTestJob(createReportImport({ blobs }), { accountId: 'acme', source, digest });
const state = await job.run();
const { rows, rejected, segments } = job.result as ImportResult;
const output: ImportProcessOutput = {
  state,
  rows,
  rejected,
  segments: segments.length,
  progress: job.progress.length,
  maxRssBytes: process.resourceUsage().maxRSS * 1024,
};
process.stdout.write(`${JSON.stringify(output)}\n`);
await blobs.close();
