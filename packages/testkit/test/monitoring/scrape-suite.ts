import { describe, expect, it } from 'vitest';

import { promised, toldLabels } from './promised-metrics.js';
import { watchedDeployment, type Watched } from './watched-deployment.js';

const MOST_SERIES = 2_000;
/** Statuses of the outside that end a job for good, and the code that its end is counted by. */
const ENDS = {
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'target_gone',
  410: 'target_gone',
  422: 'rejected',
};

/** What every process tells, one text each. */
async function scrapeAll({ call, workers }: Watched): Promise<string[]> {
  const { text } = await call('GET', '/metrics');
  const others = workers.map(async ({ metrics }) => (await fetch(metrics)).text());
  return [text, ...(await Promise.all(others))];
}

function seriesIn(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** A metric over all processes, added up by one of its labels. */
function sumBy(texts: readonly string[], metric: string, label: string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const line of texts.flatMap(seriesIn)) {
    const [, labels = '', value] = new RegExp(`^fairlane_${metric}\\{(.*)\\} (\\S+)$`).exec(line) ?? [];
    const name = new RegExp(`${label}="([^"]*)"`).exec(labels)?.[1];
    if (name !== undefined) sums[name] = (sums[name] ?? 0) + Number(value);
  }
  return sums;
}

/** A34: three workers and an API that have seen `accounts` accounts. Prints what it measured. */
export function describeScrape({ accounts, timeout }: { accounts: number; timeout: number }): void {
  describe(`three workers and an API after ${accounts} accounts`, () => {
    it(
      'A34: tell all that is promised in a bounded number of series, and count 10 failures of different kinds as 10',
      { timeout },
      async () => {
        const deployment = await watchedDeployment(3, 0);
        const perBatch = 5_000;
        for (let done = 0; done < accounts; done += perBatch) {
          const count = Math.min(perBatch, accounts - done);
          await deployment.handIn(count, { firstAccount: done });
          await expect
            .poll(async () => (await deployment.counts())['completed'], { timeout, interval: 100 })
            .toBe(done + count);
        }
        // One that is held shows the last of what is promised.
        await deployment.call('POST', '/v1/accounts/paused/pause');
        await deployment.handIn(1, { account: 'paused' });
        for (const status of Object.keys(ENDS)) await deployment.handIn(2, { body: status });
        await expect.poll(async () => (await deployment.counts())['dead'], { timeout: 60_000 }).toBe(10);

        // Counted a moment after Redis has agreed, and looked at every ten seconds.
        await expect
          .poll(async () => sumBy(await scrapeAll(deployment), 'jobs_finished_total', 'outcome'), {
            timeout: 30_000,
          })
          .toEqual({ completed: accounts, dead: 10 });
        const texts = await scrapeAll(deployment);
        const bySeries = texts.map((text) => seriesIn(text).length);
        const series = bySeries.reduce((sum, count) => sum + count, 0);
        const byCode = sumBy(texts, 'jobs_finished_total', 'code');
        process.stdout.write(`${JSON.stringify({ accounts, series, bySeries, byCode })}\n`);
        expect(series).toBeLessThan(MOST_SERIES);
        expect(byCode).toEqual({ '': accounts, unauthorized: 4, target_gone: 4, rejected: 2 });
        expect(texts.join('\n')).not.toContain('account-');
        // The same on each replica of the API, so never added up; there is one here.
        await expect
          .poll(async () => sumBy((await scrapeAll(deployment)).slice(0, 1), 'jobs', 'state')['dead'], {
            timeout: 30_000,
          })
          .toBe(10);
        await expect
          .poll(async () => toldLabels(await scrapeAll(deployment)), { timeout: 30_000 })
          .toEqual(promised);
      },
    );
  });
}
