import { fileURLToPath } from 'node:url';
import { startGuardedProcess } from '@fairlane/testkit';
import { START_PATIENCE_MS, useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ensureChromium } from './ensure-chromium.js';
import { payloadsOf, useConsole } from './open-console.js';

const redis = useRedis();
const executablePath = await ensureChromium();
const opened = useConsole(redis, executablePath);
const program = fileURLToPath(new URL('stuck-worker-process.ts', import.meta.url));

/** Until it has reported itself, which takes a busy machine a while. */
async function startWorker() {
  const worker = await startGuardedProcess({
    command: process.execPath,
    args: ['--conditions=fairlane-source', '--import=tsx', program, redis.url, opened.prefix],
    env: process.env,
  });
  onTestFinished(() => worker.kill());
  const reported = async () => (await opened.operations.workers()).some(({ pid }) => pid === worker.pid);
  await expect.poll(reported, { timeout: START_PATIENCE_MS }).toBe(true);
  return worker;
}

describe.runIf(executablePath)('workers in the console', () => {
  test('a worker that hangs leads the list without a reload; jobs are taken back after asking, never from who has them by now', async () => {
    const { campaign, operations } = opened;
    await using visit = await opened.visit({ path: '/workers' });
    const { page, complaints } = visit;
    await page.getByText('No worker has reported itself.').waitFor();
    await page.getByText('Do its REDIS_URL and FAIRLANE_PREFIX match').waitFor();

    const workers = await Promise.all([startWorker(), startWorker()]);
    const rows = page.getByRole('group', { name: 'Workers' }).locator('tbody tr');
    await expect.poll(() => rows.filter({ hasText: 'idle' }).count()).toBe(2);
    const [id = ''] = await campaign.enqueue(...payloadsOf('stuck', 1));
    const holding = async () => (await operations.workers()).find(({ busy }) => busy > 0)?.pid;
    await expect.poll(holding).toBeDefined();
    const pid = await holding();
    process.kill(pid ?? 0, 'SIGSTOP');
    await rows.first().getByText('hung').waitFor();
    expect(await rows.first().textContent()).toContain(`:${pid} `);

    // Its lease ends, and the other gets the job; what the hanging one said last is that it has it.
    const well = workers.find((worker) => worker.pid !== pid)?.pid;
    await expect.poll(async () => (await operations.job(id))?.worker).toMatch(new RegExp(`-${well}$`));
    await rows.first().getByRole('button', { name: 'Take back 1 job…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take back 1' }).click();
    await page.getByText('1 job it did not hold any more.').waitFor();
    expect(await operations.job(id)).toMatchObject({ stalls: 1, worker: expect.stringMatching(`-${well}$`) });

    await rows
      .filter({ hasText: `:${well} ` })
      .getByRole('link', { name: 'outreach.send' })
      .click();
    await page.getByRole('button', { name: 'Take it from its worker…' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Leave it');
    await page.getByRole('dialog').getByRole('button', { name: 'Take back 1' }).click();
    await page.getByText('1 job taken back').waitFor();
    await expect.poll(async () => (await operations.job(id))?.stalls).toBe(2);
    expect(complaints).toEqual([]);
  });

  test('a viewer sees the workers and takes nothing back', async () => {
    const worker = await startWorker();
    await opened.campaign.enqueue(...payloadsOf('watched', 1));
    await expect
      .poll(async () =>
        (await opened.operations.workers()).some(({ pid, busy }) => pid === worker.pid && busy === 1),
      )
      .toBe(true);
    await worker.kill();
    await using visit = await opened.visit({ path: '/workers', role: 'viewer' });
    await visit.page
      .locator('tr', { hasText: `:${worker.pid} ` })
      .getByText('lost')
      .waitFor();
    expect(await visit.page.getByRole('button', { name: /Take back/ }).count()).toBe(0);
  });
});
