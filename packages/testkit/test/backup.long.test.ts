import { execFile } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe, expect, it, onTestFinished } from 'vitest';

import { startDeployment, type Deployment, type DeploymentOptions } from '../src/deployment/deployment.js';
import { startPostgres, startRedis } from '../src/index.js';
import { startSandbox } from '../src/sandbox/index.js';
import { temporaryFolder } from '../src/vitest/index.js';

const run = promisify(execFile);
const page = readFileSync(fileURLToPath(new URL('../../../docs/operations.md', import.meta.url)), 'utf8');

const JOBS = 2_000;
const LATE_JOBS = 100;
const KINDS = ['keys', 'lookup', 'blind'] as const;

/** The commands of the page, as an operator would type them. */
function commandsOf(section: string): string[] {
  const from = page.indexOf(`\n## ${section}\n`);
  const text = page.slice(from, page.indexOf('\n## ', from + 1));
  return [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) => commands);
}

async function shell(commands: string, env: Record<string, string>): Promise<void> {
  const { PATH } = process.env;
  await run('sh', ['-e', '-c', commands], { env: { PATH, ...env }, timeout: 60_000 });
}

/** Postgres of the same installation as `pg_dump`, which reads no newer server than itself. */
async function startServer() {
  const { stdout } = await run('sh', [
    '-c',
    'command -v initdb || ls /usr/lib/postgresql/*/bin/initdb | tail -1',
  ]);
  const folder = dirname(realpathSync(stdout.trim()));
  const binaries = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
  const server = await startPostgres({ durable: true, binaries });
  onTestFinished(() => server.stop());
  return server;
}

function lines(from: number, count: number): string {
  const payloads = Array.from({ length: count }, (_value, at) => {
    const lead = from + at;
    const message = { step: 1, campaignRev: 1, channel: 'email', to: 'someone@example.com', body: 'hello' };
    return JSON.stringify({ accountId: KINDS[lead % KINDS.length], leadId: `lead-${lead}`, ...message });
  });
  return payloads.join('\n');
}

function ended({ completed = 0, dead = 0 }: Record<string, number>): number {
  return completed + dead;
}

function clientOf(deployment: Deployment) {
  const { api, tokens } = deployment.describe();
  const headers = { authorization: `Bearer ${tokens.operator}`, 'content-type': 'application/json' };
  return {
    async handIn(from: number, count: number): Promise<void> {
      const body = lines(from, count);
      const text = await (
        await fetch(`${api}/v1/jobs/outreach.send/batch`, { method: 'POST', headers, body })
      ).text();
      expect(text).toContain(`"summary":{"accepted":${count},`);
    },
    async counts(): Promise<Record<string, number>> {
      const answer = await fetch(`${api}/v1/queues/outreach`, { headers });
      return ((await answer.json()) as { counts: Record<string, number> }).counts;
    },
    async deadCodes(): Promise<string[]> {
      const answer = await fetch(`${api}/v1/dead-letters?limit=500`, { headers });
      return ((await answer.json()) as { items: { code: string }[] }).items.map(({ code }) => code);
    },
  };
}

describe('a lost host', () => {
  it(
    'R1, R2: what the backup had goes on after a restore into fresh servers, and nothing known is done twice',
    { timeout: 10 * 60_000 },
    async () => {
      const [backUp = '', restoreRedis = '', restoreLedger = ''] = commandsOf('Backup and restore');
      const folder = temporaryFolder();
      const backup = join(folder, 'backup');
      await mkdir(backup);
      const sandbox = await startSandbox({ latencyMs: 100, faults: false });
      onTestFinished(() => sandbox.stop());
      await sandbox.setAccounts(...KINDS.map((kind) => ({ account: kind, kind })));
      const start = async (stores: Pick<DeploymentOptions, 'redisUrl' | 'databaseUrl'>, name: string) => {
        const deployment = await startDeployment({
          ...stores,
          dir: join(folder, name),
          workers: 2,
          appendfsync: 'everysec',
          ledger: 'postgres',
          prefix: '{backup}',
          sandboxUrl: sandbox.url,
          sandboxSeed: 1,
          sandboxAccounts: 0,
          env: { WORKER_LEASE_MS: '5000', LOG_LEVEL: 'warn' },
          // Killed on purpose.
          onCasualty: () => undefined,
          signal: new AbortController().signal,
        });
        onTestFinished(() => deployment.stop());
        return deployment;
      };
      const patience = { timeout: 5 * 60_000, interval: 50 };

      const firstRedis = await startRedis({ dir: join(folder, 'redis-1') });
      onTestFinished(() => firstRedis.stop());
      const firstLedger = await startServer();
      const first = await start({ redisUrl: firstRedis.url, databaseUrl: firstLedger.url }, 'first');
      const before = clientOf(first);
      await before.handIn(0, JOBS);
      await expect.poll(async () => ended(await before.counts()), patience).toBeGreaterThan(JOBS / 5);
      const stores = { REDIS_URL: firstRedis.url, DATABASE_URL: firstLedger.url, BACKUP: backup };
      await shell(backUp, stores);
      const endedAtBackup = ended(await before.counts());
      // Accepted since, so the backup has nothing of them.
      await before.handIn(JOBS, LATE_JOBS);
      await expect.poll(async () => ended(await before.counts()), patience).toBeGreaterThan(JOBS / 2);
      const endedAtLoss = ended(await before.counts());

      for (const { pid } of first.processes()) process.kill(pid, 'SIGKILL');
      await firstRedis.kill();
      await rm(join(folder, 'redis-1'), { recursive: true });
      // The ledger is newer than the backup of Redis: its server outlived the other.
      await shell(
        backUp
          .split('\n')
          .filter((line) => line.startsWith('pg_dump'))
          .join('\n'),
        stores,
      );
      await firstLedger.stop();

      const restored = join(folder, 'redis-2');
      await shell(restoreRedis, { BACKUP: backup, REDIS_DIR: restored });
      const secondRedis = await startRedis({ dir: restored });
      onTestFinished(() => secondRedis.stop());
      const secondLedger = await startServer();
      await shell(restoreLedger, { BACKUP: backup, DATABASE_URL: secondLedger.url });
      const second = await start({ redisUrl: secondRedis.url, databaseUrl: secondLedger.url }, 'second');
      const after = clientOf(second);
      const backedUp = Object.values(await after.counts()).reduce((sum, count) => sum + count, 0);
      await after.handIn(JOBS, LATE_JOBS);
      await expect.poll(async () => ended(await after.counts()), patience).toBe(JOBS + LATE_JOBS);

      const { applied, repeated, requests, byReference = {} } = await sandbox.report({ full: true });
      const { completed = 0, dead = 0 } = await after.counts();
      const figures = {
        jobs: JOBS,
        endedAtBackup,
        endedAtLoss,
        backedUp,
        handedInAgain: LATE_JOBS,
        completed,
        dead,
      };
      process.stdout.write(`${JSON.stringify({ ...figures, requests, applied, repeated })}\n`);
      expect([backedUp, endedAtBackup < endedAtLoss]).toEqual([JOBS, true]);
      expect(repeated).toBe(0);
      // What ended well was done once; of the others nobody can know.
      expect(new Set(await after.deadCodes())).toEqual(new Set(dead === 0 ? [] : ['unknown_outcome']));
      expect(Object.values(byReference).filter((one) => one.applied === 1).length).toBeGreaterThanOrEqual(
        completed,
      );
    },
  );
});
