import { randomUUID } from 'node:crypto';

import { startRedis, type RedisServer } from '@fairlane/testkit';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { EffectLedger } from '../ledger.js';
import { createRedisLedger } from './redis-ledger.js';

let server: RedisServer;
let ledger: EffectLedger;
const errors: unknown[] = [];
beforeEach(async () => {
  server = await startRedis({ appendfsync: 'always' });
  errors.length = 0;
  ledger = createRedisLedger({ redis: server.url, onError: (error) => errors.push(error) });
});
afterEach(async () => {
  await ledger.close();
  await server.stop();
});

async function begin(jobId: string) {
  const request = { jobId, holder: randomUUID(), fence: undefined, name: 'send' };
  return ledger.begin({ ...request, inputHash: 'in-1', timeoutMs: 1_000 });
}

const done = {
  state: 'done',
  result: { kept: 'json', json: '{"id":"msg_1"}' },
  externalId: 'msg_1',
} as const;

describe('the Redis ledger', () => {
  it('A27: works again after Redis was killed and restarted, and remembers', async () => {
    await begin('job-1');
    expect(await ledger.record({ jobId: 'job-1', fence: 1, name: 'send', outcome: done })).toBe(true);
    await server.kill();
    await expect(begin('job-1')).rejects.toThrow(/max retries|ECONNREFUSED|closed/i);
    await server.restart();
    await expect
      .poll(async () => begin('job-1').catch(() => undefined))
      .toMatchObject({
        outcome: 'done',
        result: { kept: 'json', json: '{"id":"msg_1"}' },
      });
    // A39: what ioredis emits without a listener would have ended this process. Told once, not with every try.
    expect(errors).toHaveLength(1);
  });

  it('A29: refuses to begin while memory is full, and still records what was performed', async () => {
    await begin('job-1');
    await command('config', 'set', 'maxmemory', '1');
    await expect(begin('job-2')).rejects.toThrow(/OOM/);
    expect(await ledger.record({ jobId: 'job-1', fence: 1, name: 'send', outcome: done })).toBe(true);
    await command('config', 'set', 'maxmemory', '0');
    expect(await begin('job-1')).toMatchObject({ outcome: 'done' });
  });

  it('works on after the scripts were flushed', async () => {
    await begin('job-1');
    await command('script', 'flush');
    expect(await begin('job-1')).toMatchObject({ outcome: 'unsettled', fence: 2 });
  });
});

async function command(name: string, ...args: string[]): Promise<void> {
  const client = new Redis(server.url);
  await client.call(name, ...args);
  client.disconnect();
}
