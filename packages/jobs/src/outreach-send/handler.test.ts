import { randomUUID } from 'node:crypto';
import { createTestJob } from '@fairlane/sdk/testing';
import { startSandbox, type FaultsInput, type Sandbox } from '@fairlane/testkit/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGatewayClient } from './gateway-client.js';
import { createOutreachSend } from './handler.js';

type Kind = 'keys' | 'lookup' | 'blind';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ accounts: 1, faults: false });
});

afterAll(async () => {
  await sandbox.stop();
});

/** A job for an account of its own, so that no test sees another's faults. */
async function jobFor({
  kind = 'keys',
  faults = {},
  revoked = false,
}: {
  kind?: Kind;
  faults?: FaultsInput;
  revoked?: boolean;
}) {
  const account = `account-${randomUUID()}`;
  await sandbox.setAccounts({ account, kind, faults, revoked });
  const gateway = createGatewayClient({ url: sandbox.url, timeoutMs: 200 });
  const job = createTestJob(createOutreachSend(gateway), {
    accountId: account,
    leadId: 'lead-1',
    step: 1,
    campaignRev: 1,
    campaign: 'spring',
    channel: 'email',
    to: 'ann@example.com',
    body: 'Hello',
  });
  return {
    job,
    heal: () => sandbox.setAccounts({ account, faults: {}, revoked: false }),
    /** What the platform saw of this job. */
    seen: async () => {
      const { byReference } = await sandbox.report({ full: true });
      return byReference?.[job.info.key];
    },
  };
}

describe('outreach.send', () => {
  it('sends one message and keeps its id', async () => {
    const { job, seen } = await jobFor({});
    expect(await job.run()).toBe('completed');
    expect(job.result).toEqual({ messageId: expect.stringMatching(/^msg_/) as string });
    expect(job.info).toMatchObject({ tag: 'spring', limitGroup: 'email' });
    expect(await seen()).toMatchObject({ requests: 1, applied: 1 });
  });

  it.each<[string, Parameters<typeof jobFor>[0], string]>([
    ['revoked credentials', { revoked: true }, 'unauthorized'],
    ['a lead that is gone', { faults: { gone: 1 } }, 'target_gone'],
    ['a message the platform refuses', { faults: { invalid: 1 } }, 'rejected'],
  ])('is dead at once for %s, with a code and a reason to show', async (_what, account, code) => {
    const { job, seen } = await jobFor(account);
    expect(await job.run()).toBe('dead');
    expect(job).toMatchObject({ deadCode: code, attempts: { made: 1 } });
    expect(job.lastError?.reason).toMatch(/^the outreach platform answered \d{3}$/);
    expect(await seen()).toMatchObject({ requests: 1, applied: 0 });
  });

  it('A11 throttled twenty times completes with one attempt', async () => {
    const { job, heal, seen } = await jobFor({ faults: { rate429: 1 } });
    for (let round = 0; round < 20; round += 1) expect(await job.runAttempt()).toBe('held');
    await heal();
    expect(await job.run()).toBe('completed');
    expect(job.attempts.made).toBe(1);
    expect(await seen()).toMatchObject({ requests: 21, applied: 1 });
  });

  it.each<Kind>(['keys', 'lookup'])(
    'R2 sends once when the answer is lost after the effect: %s',
    async (kind) => {
      const { job, seen } = await jobFor({ kind, faults: { cutAfter: 1 } });
      expect(await job.run()).toBe('completed');
      expect(job.effects['send']).toMatchObject({ performed: 1, asked: 1 });
      expect(await seen()).toMatchObject({ requests: 1, applied: 1 });
    },
  );

  it.each<Kind>(['keys', 'lookup'])(
    'R2 sends again when the request was lost before the effect: %s',
    async (kind) => {
      const { job, heal, seen } = await jobFor({ kind, faults: { cutBefore: 1 } });
      expect(await job.runAttempt()).toBe('retrying');
      await heal();
      expect(await job.run()).toBe('completed');
      expect(await seen()).toMatchObject({ requests: 2, applied: 1 });
    },
  );

  it('R2 never sends again to an account that can neither take keys nor be asked', async () => {
    const { job, seen } = await jobFor({ kind: 'blind', faults: { cutAfter: 1 } });
    expect(await job.run()).toBe('dead');
    expect(job.deadCode).toBe('unknown_outcome');
    expect(await seen()).toMatchObject({ requests: 1, applied: 1 });
  });

  it('A01 asks after a crash between effect and record', async () => {
    const { job, seen } = await jobFor({ kind: 'lookup' });
    job.crashAt('after_perform');
    expect(await job.run()).toBe('completed');
    expect(await seen()).toMatchObject({ requests: 1, applied: 1 });
  });

  it('takes a stall for an unknown outcome', async () => {
    const { job, heal, seen } = await jobFor({ faults: { stall: 1 } });
    expect(await job.runAttempt()).toBe('retrying');
    expect(job.lastError).toMatchObject({ code: 'timeout', applied: 'unknown' });
    await heal();
    expect(await job.run()).toBe('completed');
    expect(await seen()).toMatchObject({ applied: 1 });
  });
});
