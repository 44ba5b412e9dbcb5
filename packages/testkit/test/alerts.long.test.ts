import { expect, describe, it, onTestFinished } from 'vitest';

import { startPrometheus } from './monitoring/prometheus.js';
import { watchedDeployment } from './monitoring/watched-deployment.js';

const BURST = 4_000;
const minutes = (count: number) => count * 60_000;

/** Of the jobs in `critical`, a queue whose oldest job must not wait for a minute. */
const PAGE = 'ALERTS{alertname="FairlaneOldestEligibleAge",queue="critical",alertstate="firing"}';

describe('the shipped rules in a Prometheus that scrapes a real deployment', () => {
  it(
    'stay silent in a burst, which raises depth and not age, and page when workers are wedged',
    { timeout: minutes(20) },
    async () => {
      const deployment = await watchedDeployment(3, 200);
      const prometheus = await startPrometheus(deployment, deployment.folder);
      onTestFinished(() => prometheus.stop());
      const { query } = prometheus;
      const most = async (record: string, within: string) =>
        Math.max(...Object.values(await query(`max_over_time(${record}[${within}])`)));

      const burstAt = Date.now();
      await deployment.handIn(BURST);
      await expect
        .poll(async () => (await deployment.counts())['completed'], { timeout: minutes(5), interval: 500 })
        .toBe(BURST);
      const burstSeconds = Math.round((Date.now() - burstAt) / 1_000);
      const ready = 'fairlane:jobs{queue="outreach",state="ready"}';
      // The last look of the burst has been scraped, and the rules have seen it.
      await expect
        .poll(() => query(ready), { timeout: minutes(2), interval: 1_000 })
        .toEqual({ 'outreach ready': 0 });
      const burst = {
        jobs: BURST,
        seconds: burstSeconds,
        readyMost: await most(ready, '10m'),
        ageMostSeconds: await most('fairlane:oldest_eligible_age_seconds{queue="outreach"}', '10m'),
        alerts: Object.keys(await query('count_over_time(ALERTS{alertstate="firing"}[10m])')),
      };
      process.stdout.write(`${JSON.stringify({ burst })}\n`);
      expect(burst.readyMost).toBeGreaterThan(BURST / 4);
      expect(burst.ageMostSeconds).toBeLessThan(burstSeconds);
      expect(burst.alerts).toEqual([]);

      for (const { pid } of deployment.workers) process.kill(pid, 'SIGSTOP');
      onTestFinished(() => {
        for (const { pid } of deployment.workers) process.kill(pid, 'SIGCONT');
      });
      const wedgedAt = Date.now();
      const reading = {
        accountId: 'acme',
        host: 'db-1',
        mount: '/',
        percent: 100,
        at: new Date().toISOString(),
      };
      expect((await deployment.call('POST', '/v1/readings', JSON.stringify(reading))).status).toBe(201);
      await expect
        .poll(async () => Object.values(await query(PAGE)), { timeout: minutes(6), interval: 1_000 })
        .toEqual([1]);
      const { text } = await deployment.call('GET', '/v1/queues/critical/series?minutes=10');
      const charted = (
        JSON.parse(text) as { items: { ready: number | null; oldestEligibleAgeMs: number | null }[] }
      ).items;
      const wedge = {
        pagedAfterSeconds: Math.round((Date.now() - wedgedAt) / 1_000),
        readyMost: await most('fairlane:jobs{queue="critical",state="ready"}', '10m'),
        ageMostSeconds: await most('fairlane:oldest_eligible_age_seconds{queue="critical"}', '10m'),
        chartedReadyMost: Math.max(...charted.map((minute) => minute.ready ?? 0)),
        chartedAgeMostSeconds: Math.max(...charted.map(({ oldestEligibleAgeMs: age }) => age ?? 0)) / 1_000,
      };
      process.stdout.write(`${JSON.stringify({ wedge })}\n`);
      expect([wedge.readyMost, wedge.chartedReadyMost]).toEqual([1, 1]);
      expect(Math.min(wedge.ageMostSeconds, wedge.chartedAgeMostSeconds)).toBeGreaterThan(120);

      for (const { pid } of deployment.workers) process.kill(pid, 'SIGCONT');
      await expect
        .poll(async () => Object.keys(await query(PAGE)), { timeout: minutes(3), interval: 1_000 })
        .toEqual([]);
    },
  );
});
