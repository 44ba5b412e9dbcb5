import { PermanentError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readConsoleFiles } from '../src/console/console-files.js';
import { ensureChromium } from './ensure-chromium.js';
import { payloadsOf, useConsole } from './open-console.js';

const redis = useRedis();
const executablePath = await ensureChromium();
const opened = useConsole(redis, executablePath);

test('the first load stays within its budget', () => {
  const { assets } = readConsoleFiles();
  const sizeOf = (name: RegExp) =>
    [...assets].filter(([path]) => name.test(path)).reduce((sum, [, { gzipped }]) => sum + gzipped.length, 0);
  expect(sizeOf(/index-.*\.js$/)).toBeLessThan(120 * 1024);
  expect(sizeOf(/charts-.*\.js$/)).toBeLessThan(25 * 1024);
  expect(sizeOf(/\.css$/)).toBeLessThan(15 * 1024);
});

describe.runIf(executablePath)('the console', () => {
  test('an operator finds why an account waits, changes its limit and sees it without a reload', async () => {
    const { campaign, operations, board } = opened;
    await operations.setLimits('acme', 'email', { limit: 1, perMs: 600_000 });
    await campaign.enqueue(...payloadsOf('acme', 5));
    await using visit = await opened.visit({ path: '/accounts' });
    const { page, complaints, requested } = visit;
    await page.getByRole('link', { name: 'acme', exact: true }).click();
    await page.getByText('1 in 10 min').or(page.getByText('6 an hour, burst 1')).waitFor();
    const edit = page.getByRole('button', { name: 'Edit limits of email' });
    await edit.click();
    // Left from within a field at the first press.
    await page.getByLabel('How many').press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await edit.click();
    await page.getByLabel('How many').fill('50');
    await page.getByRole('dialog').getByRole('combobox').selectOption({ label: 'minute' });
    await page.getByRole('button', { name: 'Set these limits' }).click();
    await page.getByRole('cell', { name: '50 a minute' }).waitFor();
    await campaign.work(async () => ({ messageId: 'm' }));
    await page.getByRole('link', { name: 'completed 5' }).waitFor();
    expect(complaints).toEqual([]);
    expect(requested.filter((url) => !url.startsWith(board.url) && !url.startsWith('data:'))).toEqual([]);
  });

  test('a dead letter is replayed; a viewer may not, a forged request is refused', async () => {
    const { campaign, board } = opened;
    const [id = ''] = await campaign.enqueue(...payloadsOf('zenith', 1));
    await campaign.work(async () => {
      throw new PermanentError({ code: 'target_gone', reason: '<img src=x onerror=alert(1)>' });
    });
    await using viewer = await opened.visit({ role: 'viewer', path: `/jobs/${id}` });
    await viewer.page.getByText('Seeing payloads needs the operator role.').waitFor();
    expect(await viewer.page.getByRole('button', { name: 'Replay this job' }).count()).toBe(0);
    const cookies = await viewer.page.context().cookies();
    const token = cookies.find(({ name }) => name === 'XSRF-TOKEN')?.value ?? '';
    const headers = { 'x-xsrf-token': token };
    const replayUrl = `${board.url}/api/v1/dead-letters/${id}/replay`;
    expect((await viewer.page.request.post(replayUrl, { headers })).status()).toBe(403);
    expect((await viewer.page.request.get(`${board.url}/api/v1/jobs/${id}/payload`)).status()).toBe(403);

    await using operator = await opened.visit({ path: '/dead-letters?account=zenith' });
    const { page, complaints } = operator;
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    await page.getByRole('checkbox', { name: `Select ${id}` }).check();
    await page.getByRole('button', { name: 'Replay selected (1)' }).click();
    await page.getByText('1 dead letter replayed.').waitFor();
    await page.getByText('Nothing matches these filters.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('eight tabs are open and each still gets its answers; a hidden one holds no stream', async () => {
    const { board, campaign } = opened;
    await using visit = await opened.visit({ path: '/accounts' });
    const { page, complaints } = visit;
    const tabs = [page];
    while (tabs.length < 8) tabs.push(await page.context().newPage());
    await Promise.all(tabs.slice(1).map((tab) => tab.goto(`${board.url}/accounts`)));
    await Promise.all(tabs.map((tab) => tab.getByText(/^Live /).waitFor()));
    await campaign.enqueue(...payloadsOf('in-every-tab', 1));
    await Promise.all(tabs.map((tab) => tab.getByRole('link', { name: 'in-every-tab' }).waitFor()));

    const hidden = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/v1/events'));
    await setHidden(page, true);
    await hidden;
    await campaign.enqueue(...payloadsOf('while-hidden', 1));
    await setHidden(page, false);
    await page.getByRole('link', { name: 'while-hidden' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('without the API it is stale within 5 s and offers no action, and recovers without a gap', async () => {
    const { campaign, operations } = opened;
    await operations.setLimits('cut-off', 'email', { limit: 60, perMs: 60_000 });
    await using visit = await opened.visit({ path: '/accounts/cut-off' });
    const { page } = visit;
    const pause = page.getByRole('button', { name: 'Pause this account' });
    await page.getByText(/^Live /).waitFor();
    expect(await pause.isEnabled()).toBe(true);
    await opened.api.kill();
    await page.getByText(/^Stale since /).waitFor({ timeout: 5_000 });
    // Only help is left, as soon as what was being read has failed too.
    const enabled = page.getByRole('main').getByRole('button', { disabled: false });
    await expect.poll(async () => enabled.allTextContents()).toEqual(['Try again']);
    await campaign.enqueue(...payloadsOf('cut-off', 3));
    await opened.api.restart();
    await page.getByText(/^Live /).waitFor();
    await page.getByRole('link', { name: /^ready 3$/ }).waitFor();
    expect(await pause.isEnabled()).toBe(true);
  });
});

/** As when another tab is looked at, which a browser without a screen never does. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));`);
}
