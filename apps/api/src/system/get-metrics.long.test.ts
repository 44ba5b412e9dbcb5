import { bytesKept, useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { catalogue, message } from '../testing-support/catalogue.js';
import { startApi } from '../testing-support/start-api.js';

const redis = useRedis();
const ACCOUNTS = 50_000;
const LOOKED_AT = 20_000;

describe('GET /metrics', () => {
  it(
    'A34 has a bounded number of series after 50,000 accounts, and a flat heap',
    { timeout: 300_000 },
    async () => {
      const api = await startApi({ redisUrl: redis.url, prefix: redis.prefix });
      const contract = catalogue.job('message.send');
      if (contract === undefined) throw new Error('the catalogue has no message.send');
      const payloads = Array.from({ length: ACCOUNTS }, (_value, at) =>
        message({ accountId: `account-${at}` }),
      );
      for await (const { outcome } of api.producer.enqueueMany(contract, payloads))
        expect(outcome).toBe('accepted');
      const scrape = async () => (await api.call('GET', '/metrics')).text;
      const ready = /^fairlane_accounts\{queue="outreach",state="ready",reason=""\} (\d+)$/m;
      // Of more accounts than are looked at it tells the least there are.
      await expect
        .poll(async () => Number(ready.exec(await scrape())?.[1]), { timeout: 60_000 })
        .toBeGreaterThanOrEqual(LOOKED_AT);
      const before = await bytesKept();
      const times: number[] = [];
      for (let turn = 0; turn < 100; turn += 1) {
        const startedAt = performance.now();
        await scrape();
        times.push(performance.now() - startedAt);
      }
      const grownBytes = (await bytesKept()) - before;
      const text = await scrape();
      const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
      const slowestMs = Math.round(Math.max(...times));
      process.stdout.write(`${JSON.stringify({ accounts: ACCOUNTS, series, slowestMs, grownBytes })}\n`);
      expect(series).toBeLessThan(2_000);
      expect(text).not.toContain('account-1');
      expect(grownBytes).toBeLessThan(5_000_000);
    },
  );
});
