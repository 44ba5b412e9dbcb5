import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  copyRepository,
  temporaryFolder,
  type RepositoryCopy,
} from '../../packages/testkit/src/vitest/index.js';
import type { Terminal } from './ask.js';
import { newJob } from './new-job.js';
import { Refusal } from './refusal.js';
import { writeTogether } from './write-together.js';

let copy: RepositoryCopy;
let src: string;

beforeAll(() => {
  copy = copyRepository('packages/jobs');
  src = join(copy.root, 'packages/jobs/src');
});
afterAll(() => copy.remove());

const run = async (args: readonly string[], terminal?: Terminal) =>
  newJob(args, { root: copy.root, terminal, onWait: () => undefined });

/** Every file below a folder, with its text. */
function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}

async function expectRefusal(args: readonly string[], message: string): Promise<void> {
  const before = contentOf(src);
  const refused = await run(args).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Refusal);
  expect((refused as Refusal).message).toContain(message);
  expect(contentOf(src)).toEqual(before);
}

const REST = ['--queue', 'bulk', '--account', 'accountId', '--key', 'invoiceId'];

describe('npm run new:job refuses, and writes nothing', () => {
  it.each([
    [
      'a name of another form',
      ['Billing', ...REST],
      '"Billing" is no name of a job: it has the form area.action',
    ],
    ['a name that exists', ['outreach.send', ...REST], 'a job outreach.send exists already'],
    [
      'the name of a folder that exists',
      ['guarded.fetch', ...REST],
      'packages/jobs/src/guarded-fetch exists',
    ],
    ['a name that reads the same in code', ['limit.groups', ...REST], 'the name limitGroups is taken'],
    ['a name that hides what the file uses', ['define.job', ...REST], 'would be called defineJob in code'],
    [
      'a queue that is not declared',
      ['trial.email', ...REST, '--queue', 'slow'],
      'the queue "slow" is not declared. Declared are critical, outreach, webhooks, bulk, analytics',
    ],
    [
      'a limit group that is not declared',
      ['trial.email', ...REST, '--limit-group', 'fax'],
      'the limit group "fax" is not declared. Declared are default, email, sms, crm, incident, webhook',
    ],
    [
      'a field that is none',
      ['trial.email', ...REST, '--key', 'invoice-id'],
      '"invoice-id" cannot be a field',
    ],
    ['a field that is a trap', ['trial.email', ...REST, '--account', '__proto__'], 'cannot be a field'],
    ['an empty part of the key', ['trial.email', ...REST, '--key', 'a,,b'], '"" cannot be a field'],
    ['a part of the key twice', ['trial.email', ...REST, '--key', 'a,b,a'], '"a" is in the key twice'],
    [
      'a key of too many parts',
      ['trial.email', ...REST, '--key', 'abcdefghijklmnopq'.split('').join()],
      'at most 16',
    ],
    ['two names', ['trial.email', 'trial.fax', ...REST], 'expected one name, got trial.email, trial.fax'],
    ['a flag that does not exist', ['trial.email', '--cue', 'bulk'], "Unknown option '--cue'"],
    ['a flag without its value', ['trial.email', '--queue'], "'--queue <value>' argument missing"],
  ])('%s', async (_what, args, message) => expectRefusal(args, message));

  it.each([
    ['url-jobs.ts', 'export const urlJobs', 'export const jobsOfUrls'],
    ['contracts.ts', 'export const contracts', 'export const jobs'],
  ])('where %s is not as it knows it', async (file, known, changed) => {
    const list = join(src, file);
    const before = readFileSync(list, 'utf8');
    writeFileSync(list, before.replace(known, changed));
    await expectRefusal(['trial.email', ...REST], `packages/jobs/src/${file} is not as it was expected`);
    writeFileSync(list, before);
  });
});

/** Somebody who types these lines and then goes away. */
function typing(...lines: string[]): Terminal & { readonly shown: Promise<string> } {
  const input = new PassThrough();
  const output = new PassThrough();
  input.end(lines.map((line) => `${line}\n`).join(''));
  return { input, output, shown: text(output) };
}

describe('npm run new:job on a terminal', () => {
  it('asks for what is missing, again after an answer that will not do, and makes the job', async () => {
    const terminal = typing('slow', 'critical', '', 'invoice-id', 'invoiceId, level', 'email');
    const made = await run(['trial.remind'], terminal);
    terminal.output.end();
    expect(made).toMatchObject({ name: 'trial.remind' });
    const shown = await terminal.shown;
    expect(shown).toContain('Queue, one of critical, outreach, webhooks, bulk, analytics: ');
    expect(shown).toContain('the queue "slow" is not declared');
    expect(shown).toContain('Field of the payload that names the customer [accountId]: ');
    expect(shown).toContain('"invoice-id" cannot be a field');
    const contract = readFileSync(join(src, 'trial-remind/contract.ts'), 'utf8');
    expect(contract).toContain(`  account: (p) => p.accountId,
  key: (p) => [p.invoiceId, p.level],
  limitGroup: 'email',
  queue: 'critical',
});`);
  });

  it('asks nothing when everything needed was given', async () => {
    const terminal = typing();
    await run(['trial.refund', ...REST], terminal);
    terminal.output.end();
    expect(await terminal.shown).toBe('');
  });

  it('writes nothing when the person leaves before the last answer', async () => {
    const before = contentOf(src);
    await expect(run(['trial.dun'], typing('bulk', ''))).rejects.toThrow('the questions were not answered');
    expect(contentOf(src)).toEqual(before);
  });

  it('refuses what was given before it asks', async () => {
    const terminal = typing();
    await expect(run(['trial.dun', '--queue', 'slow'], terminal)).rejects.toThrow('not declared');
    terminal.output.end();
    expect(await terminal.shown).toBe('');
  });
});

describe('writing together', () => {
  it.each([
    ['a file to be replaced is not there', 'folder', 'gone.ts', 'ENOENT'],
    ['the folder is there', 'taken', 'list.ts', 'EEXIST'],
    ['a list cannot be replaced', 'folder', 'a-folder', 'EISDIR'],
  ])('leaves everything as it was when %s', (_what, folder, replaced, code) => {
    const root = temporaryFolder();
    for (const name of ['taken', 'a-folder']) mkdirSync(join(root, name));
    writeFileSync(join(root, 'list.ts'), 'before');
    writeFileSync(join(root, 'a-folder/file.ts'), 'before');
    const before = [contentOf(root), readdirSync(root)];
    const lists = { [join(root, 'list.ts')]: 'after', [join(root, replaced)]: 'after' };
    expect(() => writeTogether(join(root, folder), { 'contract.ts': 'new' }, lists)).toThrow(code);
    expect([contentOf(root), readdirSync(root)]).toEqual(before);
  });
});
