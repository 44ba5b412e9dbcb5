import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createApiClient, type BatchAnswer } from '../src/demo/api-client.js';
import type { Summary } from '../src/demo/summary.js';
import type { KeptDeployment } from '../src/deployment/kept.js';
import { isAlive, untilGone } from '../src/servers/liveness.js';

// The programs as they are shipped: `npm test` has built them.
const program = (name: string) => fileURLToPath(new URL(`../dist/${name}/main.js`, import.meta.url));

interface Run {
  exitCode: number;
  output: string;
  summary: Summary;
  keptFile: string | undefined;
}

async function demo(...args: string[]): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlane-demo-'));
  const json = join(folder, 'out.json');
  const child = spawn(process.execPath, [program('demo'), ...args, '--json', json]);
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  child.stderr.on('data', (data) => (output += String(data)));
  const [exitCode] = (await once(child, 'close')) as [number];
  const text = await readFile(json, 'utf8').catch(() => {
    throw new Error(`the demo wrote no summary (exit code ${exitCode}):\n${output}`);
  });
  await rm(folder, { recursive: true });
  const keptFile = /all of it, in JSON: (.*)$/m.exec(output)?.[1];
  return { exitCode, output, summary: JSON.parse(text) as Summary, keptFile };
}

describe('the demo', { timeout: 180_000 }, () => {
  let run: Run;
  let kept: KeptDeployment;
  beforeAll(async () => {
    run = await demo('--jobs', '200', '--accounts', '41', '--workers', '2', '--kill', '1', '--keep');
    kept = JSON.parse(await readFile(run.keptFile ?? '', 'utf8')) as KeptDeployment;
  }, 180_000);
  afterAll(async () => {
    for (const { pid } of kept?.processes ?? []) {
      if (!isAlive(pid)) continue;
      process.kill(pid, 'SIGTERM');
      await untilGone(pid, 40_000);
    }
    if (run?.keptFile !== undefined) await rm(dirname(run.keptFile), { recursive: true, force: true });
  }, 180_000);

  it('loses nothing and repeats nothing while workers are killed (R1, R2)', () => {
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.summary).toMatchObject({
      jobs: 200,
      accounts: 41,
      workers: 2,
      accepted: 200,
      duplicates: 0,
      lost: 0,
      effects: { repeated: 0 },
      workersKilled: 1,
    });
    const { completed, dead, expectedDead, effects } = run.summary;
    expect(completed + dead).toBe(200);
    expect(dead).toBe(expectedDead);
    // What a blind account took before its worker was killed may be among the dead.
    const { unknown_outcome: unknown = 0 } = run.summary.deadByCode;
    expect(effects.applied).toBeGreaterThanOrEqual(completed);
    expect(effects.applied).toBeLessThanOrEqual(completed + unknown);
  });

  it('shows a code for what the platform rejects for good', () => {
    // Account 40 of a campaign is revoked, so there is always one.
    expect(run.summary.deadByCode['unauthorized']).toBeGreaterThan(0);
    const counted = Object.values(run.summary.deadByCode).reduce((sum, count) => sum + count, 0);
    expect(counted).toBe(run.summary.dead);
  });

  it('keeps to the limits of the accounts, and holds jobs back without an attempt (R3, R7)', () => {
    expect(run.summary.limits).toEqual({
      violations: 0,
      achievedFraction: expect.any(Number),
      deferredWithoutAttempt: expect.any(Number),
    });
    expect(run.summary.timeInQueueMs.p99).toBeTypeOf('number');
    expect(run.summary.largestAccount.jobs).toBeGreaterThan(90);
  });

  it('keeps what runs described in a file that only its owner can read', async () => {
    expect((await stat(run.keptFile ?? '')).mode & 0o777).toBe(0o600);
    // The worker that was killed is gone, the third took its place.
    const names = kept.processes.map(({ name }) => name).join(' ');
    expect(names).toMatch(/^worker-[12] worker-3 (api board|board api) sandbox redis$/);
    for (const { pid } of kept.processes) expect(isAlive(pid)).toBe(true);
  });

  it('the same file again answers duplicates only, and nothing is sent (R12)', async () => {
    const [, campaign = ''] = /--file (\S+) --against/.exec(run.output) ?? [];
    const again = await demo('--file', campaign, '--against', run.keptFile ?? '');
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.summary).toMatchObject({
      accepted: 0,
      duplicates: 200,
      lost: 0,
      effects: { applied: 0, repeated: 0 },
    });
  });

  it('a malformed line costs that line only, and the answer names it', async () => {
    const good = {
      accountId: 'account-0001',
      step: 9,
      campaignRev: 1,
      channel: 'email',
      to: 'a@b.example',
      body: 'x',
    };
    const lines = [
      JSON.stringify({ ...good, leadId: 'new-1' }),
      '{"accountId": "account-0001",',
      JSON.stringify({ ...good, leadId: 'new-2', channel: 'pigeon' }),
      JSON.stringify({ ...good, leadId: 'new-3' }),
    ];
    const answers: BatchAnswer[] = [];
    const { signal } = new AbortController();
    const api = createApiClient({ url: kept.api, tokens: kept.tokens, signal });
    const upload = async function* () {
      for (const line of lines) yield `${line}\n`;
    };
    await api.postBatch('outreach.send', upload(), (answer) => answers.push(answer));
    api.close();
    expect(answers.map(({ line, status }) => [line, status])).toEqual([
      [1, 'accepted'],
      [2, 'rejected'],
      [3, 'rejected'],
      [4, 'accepted'],
    ]);
    expect(answers[2]?.detail).toContain('channel');
  });
});
