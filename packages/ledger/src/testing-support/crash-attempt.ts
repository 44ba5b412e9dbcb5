import { classifyError, httpError, type EffectOptions } from '@fairlane/sdk';

import { createEffectRunner } from '../effects/effect-runner.js';
import { createRedisLedger } from '../redis/redis-ledger.js';
import { scopeOf } from './attempt-scope.js';
import { interceptLedger } from './intercepted-ledger.js';

/** Where a worker process is killed. */
export type CrashPoint = 'before perform' | 'after send' | 'before record' | 'after record';

export interface CrashAttempt {
  redisUrl: string;
  sandboxUrl: string;
  account: string;
  kind: 'keys' | 'lookup' | 'blind';
  job: Parameters<typeof scopeOf>[0];
  crashAt?: CrashPoint;
}

/**
 * One attempt of a job against the sandbox platform, in the process that calls it: which is killed at `crashAt`.
 * Returns the id of the message, or the code of the error.
 */
export async function attemptOnce(input: CrashAttempt): Promise<string> {
  const { kind, crashAt, job } = input;
  const reach = (point: CrashPoint) => {
    if (point === crashAt) process.kill(process.pid, 'SIGKILL');
  };
  const redis = createRedisLedger({ redis: input.redisUrl, prefix: '{crash}' });
  const ledger = interceptLedger(redis, async (method, call) => {
    if (method === 'record') reach('before record');
    const reply = await call();
    if (method === 'begin') reach('before perform');
    if (method === 'record') reach('after record');
    return reply;
  });
  const gateway = gatewayOf(input);
  const safety: Partial<EffectOptions<{ id: string }>> = {
    ...(kind === 'lookup' ? { alreadyApplied: async ({ reference }) => gateway.find(reference) } : {}),
    ...(kind === 'keys' ? { repeatable: { keyTtlMs: 86_400_000 } } : {}),
  };
  try {
    const effect = createEffectRunner({ ledger }).forAttempt(scopeOf(job));
    const sent = await effect('send', {
      perform: async ({ reference, idempotencyKey }) => {
        const answer = gateway.send(reference, idempotencyKey);
        if (crashAt === 'after send') {
          // The platform has it, and nobody here has seen its answer.
          while (!(await gateway.hasSeen(reference)));
          reach('after send');
        }
        return answer;
      },
      timeoutMs: 20_000,
      ...safety,
    });
    return sent.id;
  } catch (error) {
    return classifyError(error).code;
  } finally {
    await redis.close();
  }
}

function gatewayOf({ sandboxUrl, account, kind }: CrashAttempt) {
  const messages = `${sandboxUrl}/accounts/${account}/messages`;
  return {
    async send(reference: string, idempotencyKey: string): Promise<{ id: string }> {
      const message = {
        reference,
        leadId: 'l',
        step: 1,
        campaignRev: 1,
        channel: 'email',
        to: 'x',
        body: '',
      };
      const headers = kind === 'keys' ? { 'idempotency-key': idempotencyKey } : {};
      const response = await fetch(messages, { method: 'POST', headers, body: JSON.stringify(message) });
      if (!response.ok) throw httpError(response);
      return (await response.json()) as { id: string };
    },
    async find(reference: string): Promise<{ id: string } | undefined> {
      const response = await fetch(`${messages}?reference=${reference}`);
      if (response.status === 404) return undefined;
      if (!response.ok) throw httpError(response);
      return (await response.json()) as { id: string };
    },
    async hasSeen(reference: string): Promise<boolean> {
      const response = await fetch(`${sandboxUrl}/report?full=1`);
      const { byReference } = (await response.json()) as { byReference: Record<string, unknown> };
      return reference in byReference;
    },
  };
}
