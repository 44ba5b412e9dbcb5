import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { accountName } from '../sandbox/index.js';
import { generateCampaign } from './campaign.js';
import type { TimedLine } from './enqueue.js';
import { arrivalsOf, readTrace } from './trace.js';

/** What is sent: its size is known beforehand, its lines are read as they are needed. */
export interface CampaignSource {
  jobs: number;
  /** Jobs and channels of each account, in order of first appearance. */
  accounts: Map<string, { jobs: number; channels: Set<string> }>;
  lines(): AsyncIterable<TimedLine>;
}

export interface CampaignFile extends CampaignSource {
  file: string;
}

export interface CampaignChoice {
  jobs: number;
  accounts: number;
  seed: number;
  file?: string;
  trace?: string;
  speed?: number;
  /** Accounts that exist already, for a generated campaign; named anew otherwise. */
  existing?: readonly string[] | undefined;
}

/**
 * A campaign file as it is, or one written to `draft` first: generated or following a trace. Either way
 * a file is what gets posted, and the same file can be posted again.
 */
export async function openCampaign(choice: CampaignChoice, draft: string): Promise<CampaignFile> {
  if (choice.trace !== undefined) return openTrace(choice, choice.trace, draft);
  if (choice.file !== undefined) return { ...(await openFile(choice.file)), file: choice.file };
  const names = choice.existing ?? Array.from({ length: choice.accounts }, (_, index) => accountName(index));
  await writeLines(draft, generateCampaign(names, choice.jobs, choice.seed));
  return { ...(await openFile(draft)), file: draft };
}

async function openTrace(choice: CampaignChoice, trace: string, draft: string) {
  const arrivals = () => arrivalsOf(readTrace(trace), choice.seed);
  const payloads = async function* () {
    for await (const { payload } of arrivals()) yield payload;
  };
  await writeLines(draft, payloads());
  const { speed } = choice;
  const lines = async function* (): AsyncGenerator<TimedLine> {
    for await (const { atMs, payload } of arrivals()) {
      yield { atMs: speed === undefined ? 0 : atMs / speed, line: JSON.stringify(payload) };
    }
  };
  return { ...(await openFile(draft)), file: draft, lines };
}

async function openFile(file: string): Promise<CampaignSource> {
  const accounts: CampaignSource['accounts'] = new Map();
  let jobs = 0;
  for await (const line of readLines(file)) {
    jobs += 1;
    const { accountId, channel } = peek(line);
    if (accountId === undefined) continue;
    const account = accounts.get(accountId) ?? { jobs: 0, channels: new Set() };
    account.jobs += 1;
    if (channel !== undefined) account.channels.add(channel);
    accounts.set(accountId, account);
  }
  if (jobs === 0) throw new Error(`${file} holds no line`);
  const lines = async function* (): AsyncGenerator<TimedLine> {
    for await (const line of readLines(file)) yield { atMs: 0, line };
  };
  return { jobs, accounts, lines };
}

async function* readLines(file: string): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (line.trim() !== '') yield line;
  }
}

/** A line that is no payload is sent all the same: refusing it is the API's business. */
function peek(line: string): { accountId?: string; channel?: string } {
  try {
    const value = JSON.parse(line) as { accountId?: unknown; channel?: unknown } | null;
    return {
      ...(typeof value?.accountId === 'string' && value.accountId !== ''
        ? { accountId: value.accountId }
        : {}),
      ...(typeof value?.channel === 'string' ? { channel: value.channel } : {}),
    };
  } catch {
    return {};
  }
}

async function writeLines(file: string, payloads: Iterable<object> | AsyncIterable<object>): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const lines = async function* () {
    for await (const payload of payloads) yield `${JSON.stringify(payload)}\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(file));
}
