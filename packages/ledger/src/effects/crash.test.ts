import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { startSandbox, type Sandbox } from '@fairlane/testkit/sandbox';
import { useRedis } from '@fairlane/testkit/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createRedisLedger } from '../redis/redis-ledger.js';
import { newJob } from '../testing-support/attempt-scope.js';
import { attemptOnce, type CrashAttempt, type CrashPoint } from '../testing-support/crash-attempt.js';

const redis = useRedis();
const worker = fileURLToPath(new URL('../testing-support/crash-worker.ts', import.meta.url));

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
  for (const kind of ['keys', 'lookup', 'blind'] as const) await sandbox.setAccounts({ account: kind, kind });
});
afterAll(() => sandbox.stop());

/** The first attempt, in a process of its own that does not survive it. */
async function dieAt(crashAt: CrashPoint, attempt: CrashAttempt): Promise<NodeJS.Signals> {
  const input = JSON.stringify({ ...attempt, crashAt });
  const args = ['--conditions', 'fairlane-source', '--import', 'tsx', worker, input];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals];
  return signal;
}

const sent = expect.stringMatching(/^msg_/) as unknown as string;

describe('A01: a worker process killed at a named point', () => {
  it.concurrent.each([
    // The next attempt repeats under the same key.
    { kind: 'keys', crashAt: 'before perform', next: sent, state: 'done', applied: 1 },
    { kind: 'keys', crashAt: 'after send', next: sent, state: 'done', applied: 1 },
    { kind: 'keys', crashAt: 'before record', next: sent, state: 'done', applied: 1 },
    { kind: 'keys', crashAt: 'after record', next: sent, state: 'done', applied: 1 },
    // It asks; a "no" is not believed yet.
    { kind: 'lookup', crashAt: 'before perform', next: 'effect_deferred', state: 'started', applied: 0 },
    { kind: 'lookup', crashAt: 'after send', next: sent, state: 'done', applied: 1 },
    { kind: 'lookup', crashAt: 'before record', next: sent, state: 'done', applied: 1 },
    // Nobody can tell, so a person decides.
    { kind: 'blind', crashAt: 'before perform', next: 'unknown_outcome', state: 'unknown', applied: 0 },
    { kind: 'blind', crashAt: 'after send', next: 'unknown_outcome', state: 'unknown', applied: 1 },
  ] as const)('$crashAt, in a $kind account', async ({ kind, crashAt, next, state, applied }) => {
    const job = newJob();
    const attempt = { redisUrl: redis.url, sandboxUrl: sandbox.url, account: kind, kind, job };
    expect(await dieAt(crashAt, attempt)).toBe('SIGKILL');
    expect(await attemptOnce(attempt)).toEqual(next);

    const { byReference = {} } = await sandbox.report({ full: true });
    expect(byReference[job.key]?.applied ?? 0).toBe(applied);
    const ledger = createRedisLedger({ redis: redis.url, prefix: '{crash}' });
    expect(await ledger.effects(job.id)).toMatchObject([{ name: 'send', state }]);
    await ledger.close();
  });
});
