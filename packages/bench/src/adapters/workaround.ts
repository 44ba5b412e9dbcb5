import { DelayedError } from 'bullmq';
import { Redis } from 'ioredis';

import type { AccountLimits, Adapter, Place } from './adapter.js';
import { asBenchJob, openBullMqQueue, openBullMqWorker, PREFIX } from './bullmq-queue.js';

/**
 * What BullMQ applications do today to limit accounts: take a job, ask a counter of the account, and move
 * the job to delayed until the counter's window ends. One round trip where the account is open, two more
 * scripts where it is not; the job comes back as often as it takes.
 */
const COUNT_IN_WINDOW = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
if count <= tonumber(ARGV[1]) then return 0 end
return redis.call('PTTL', KEYS[1])`;

interface LimiterClient extends Redis {
  countInWindow(key: string, limit: number, perMs: number): Promise<number>;
}

export const workaround: Adapter = {
  async openQueue(place) {
    const queue = await openBullMqQueue(place);
    const redis = new Redis({ host: '127.0.0.1', port: place.port });
    return {
      ...queue,
      async limit(account, limits) {
        await redis.hset(limitsKey(place), account, JSON.stringify(limits));
      },
      async close() {
        await queue.close();
        redis.disconnect();
      },
    };
  },

  async openWorker(place, options) {
    const redis = new Redis({ host: '127.0.0.1', port: place.port }) as LimiterClient;
    redis.defineCommand('countInWindow', { numberOfKeys: 1, lua: COUNT_IN_WINDOW });
    // Applications hold the limits of their accounts in memory or a cache; no look-up is charged here.
    const limits = new Map(
      Object.entries(await redis.hgetall(limitsKey(place))).map(([account, text]) => [
        account,
        JSON.parse(text) as AccountLimits,
      ]),
    );
    const worker = await openBullMqWorker(place, options, {}, async (job, token) => {
      const benchJob = asBenchJob(job);
      const limit = limits.get(benchJob.account);
      if (limit !== undefined) {
        const key = `${PREFIX}:limiter:${benchJob.account}`;
        const waitMs = await redis.countInWindow(key, limit.limit, limit.perMs);
        if (waitMs > 0) {
          await job.moveToDelayed(Date.now() + waitMs, token);
          throw new DelayedError();
        }
      }
      await options.handle(benchJob);
    });
    return {
      run: () => worker.run(),
      async close() {
        await worker.close();
        redis.disconnect();
      },
    };
  },
};

function limitsKey({ queue }: Place): string {
  return `${PREFIX}:limiter:limits:${queue}`;
}
