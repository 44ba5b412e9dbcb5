import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { outreachSend, reportImport } from '../../packages/jobs/src/contracts.js';
import {
  copyRepository,
  temporaryFolder,
  type RepositoryCopy,
} from '../../packages/testkit/src/vitest/index.js';
import { sourceArguments } from '../bootstrap/source.mjs';
import { ReleasedFiles } from './files.js';
import { checkContracts, contractsToRelease } from './release.js';

type Contract = Parameters<typeof checkContracts>[0][number];

const { shape } = outreachSend.payload;
let root: string;
let files: ReleasedFiles;

beforeEach(() => {
  root = temporaryFolder();
  files = new ReleasedFiles(root);
});

function release(...jobs: readonly unknown[]): readonly string[] {
  const { released, problems } = contractsToRelease(jobs as Contract[], files);
  for (const one of released) files.write(one, JSON.stringify(one));
  return problems;
}

const check = (...jobs: readonly unknown[]) => checkContracts(jobs as Contract[], files);

describe('contracts:check', () => {
  it('lets contracts pass that are new, as released, or wider, and says which are to be released', () => {
    expect(check(outreachSend)).toEqual({ problems: [], unreleased: ['outreach.send v1'] });
    release(outreachSend);
    expect(check(outreachSend)).toEqual({ problems: [], unreleased: [] });
    const wider = outreachSend.payload.extend({ note: shape.campaign });
    expect(check({ ...outreachSend, payload: wider })).toEqual({
      problems: [],
      unreleased: ['outreach.send v1'],
    });
  });

  it('refuses a contract that has become narrower, with what and what to do', () => {
    release(outreachSend);
    const narrower = outreachSend.payload.extend({ note: shape.to });
    expect(check({ ...outreachSend, payload: narrower }).problems).toEqual([
      'outreach.send version 1: note: is required, and was not. Stored payloads would be refused: raise the version and add upgrades[1]',
    ]);
  });

  it('refuses a raised version without an upgrade, or with one that does not do', () => {
    release(outreachSend);
    const next = { ...outreachSend, version: 2, payload: outreachSend.payload.extend({ note: shape.to }) };
    expect(check(next).problems).toEqual([expect.stringContaining('there is no upgrades[1]')]);
    const same = { ...next, upgrades: { 1: (old: unknown) => old } };
    expect(check(same).problems).toEqual([expect.stringMatching(/cannot be read.*note: .*expected string/i)]);
    const good = { ...next, upgrades: { 1: (old: object) => ({ ...old, note: 'none' }) } };
    expect(check(good)).toEqual({ problems: [], unreleased: ['outreach.send v2'] });
    release(good);
    // A third version has to read both.
    const third = { ...good, version: 3, upgrades: { 2: (old: unknown) => old } };
    expect(check(third).problems).toEqual([expect.stringMatching(/version 1: there is no upgrades\[1\]/)]);
  });

  it('refuses that a released contract is gone', () => {
    release(outreachSend);
    expect(check().problems).toEqual([expect.stringMatching(/^outreach\.send was released and is not in/)]);
  });
});

describe('contracts:release', () => {
  it('writes nothing while there is a problem, and what was written is left alone', () => {
    release(outreachSend);
    const file = join(root, files.pathOf('outreach.send', 1));
    const before = readFileSync(file, 'utf8');
    const narrower = outreachSend.payload.extend({ note: shape.to });
    expect(release({ ...outreachSend, payload: narrower })).toHaveLength(1);
    expect(release(outreachSend)).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('keeps the samples of a version that has become wider', () => {
    release(outreachSend);
    const before = files.versions('outreach.send')[0]?.samples ?? [];
    release({ ...outreachSend, payload: outreachSend.payload.extend({ note: shape.campaign }) });
    const [after] = files.versions('outreach.send');
    expect(before.length).toBeGreaterThanOrEqual(3);
    expect(after?.samples.slice(0, before.length)).toEqual(before);
    expect(JSON.stringify(after?.schema)).toContain('"note"');
  });

  it('asks for samples by hand where a refinement refuses all that can be made', () => {
    expect(release(reportImport)).toEqual([expect.stringContaining('contracts/report.import/samples.json')]);
    const byHand = 'packages/jobs/contracts/report.import/samples.json';
    mkdirSync(join(root, 'packages/jobs/contracts/report.import'), { recursive: true });
    writeFileSync(join(root, byHand), readFileSync(join(import.meta.dirname, '../..', byHand)));
    expect(release(reportImport)).toEqual([]);
    expect(files.versions('report.import')[0]?.samples).toHaveLength(3);
  });
});

describe('npm run contracts:check', () => {
  let copy: RepositoryCopy;
  beforeAll(() => {
    copy = copyRepository('packages/jobs', 'packages/sdk', 'packages/blobs', 'scripts');
  });
  afterAll(() => copy.remove());

  const run = async () => {
    const args = sourceArguments('scripts/contracts/main.ts', ['check']);
    return copy.node(...args.map((one) => one.replace(join(import.meta.dirname, '../..'), copy.root)));
  };

  it('passes for the contracts there are, and fails with the reason once one of them is narrower', async () => {
    expect(await run()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('contracts read what was released'),
    });
    const contract = join(copy.root, 'packages/jobs/src/alert-dispatch/contract.ts');
    writeFileSync(contract, readFileSync(contract, 'utf8').replace('.max(1_000)', '.max(100)'));
    expect(await run()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('percent: its greatest value is 100, and was 1000'),
    });
    rmSync(contract);
    expect(await run()).toMatchObject({ code: 1 });
  });
});
