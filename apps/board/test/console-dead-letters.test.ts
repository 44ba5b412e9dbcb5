import { PermanentError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, test } from 'vitest';
import { ensureChromium } from './ensure-chromium.js';
import { payloadsOf, useConsole } from './open-console.js';

const redis = useRedis();
const executablePath = await ensureChromium();
const opened = useConsole(redis, executablePath);

function failsWith(code: 'target_gone' | 'rejected') {
  return async (): Promise<never> => {
    throw new PermanentError({ code, reason: 'it cannot be done' });
  };
}

describe.runIf(executablePath)('dead letters in the console', () => {
  test('removing always asks, with the safe button focused; a job removed elsewhere is no error', async () => {
    const { campaign } = opened;
    const payloads = payloadsOf('purged', 3);
    const ids = await campaign.enqueue(...payloads);
    await campaign.work(failsWith('target_gone'));
    await using visit = await opened.visit({ path: '/dead-letters?account=purged' });
    const { page, complaints } = visit;
    const rows = page.getByRole('group', { name: 'Dead letters' }).locator('tbody tr');
    const dialog = page.getByRole('dialog');
    const focused = () => page.evaluate<string>('document.activeElement.textContent');

    for (const id of ids.slice(0, 2)) await page.getByRole('checkbox', { name: `Select ${id}` }).check();
    await page.getByRole('button', { name: 'Remove selected (2)' }).click();
    await expect.poll(focused).toBe('Keep');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Remove selected (2)');
    expect(await rows.count()).toBe(3);

    await page.getByRole('button', { name: 'Remove selected (2)' }).click();
    await campaign.purge(ids[0] ?? '');
    await dialog.getByRole('button', { name: 'Remove 2' }).click();
    await page.getByText('1 dead letter removed. 1 was no longer dead.').waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    // The counts go with the list, not at the pace of counting.
    const promptly = { timeout: 3_000 };
    await page.getByRole('button', { name: 'recipient gone 1' }).waitFor(promptly);
    await page.getByRole('button', { name: 'Replay 1 that match the filters…' }).waitFor(promptly);
    // The same work may come again.
    expect(await campaign.enqueue(...payloads.slice(0, 1))).toHaveLength(1);

    await rows.getByRole('link', { name: 'outreach.send' }).click();
    await page.getByRole('button', { name: 'Remove this job…' }).click();
    await expect.poll(focused).toBe('Keep');
    await dialog.getByRole('button', { name: 'Remove 1' }).click();
    await page.getByText('No job has this id.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('reasons are counted over all that match; a replay under way is found after a reload and by others, and stopped', async () => {
    const { campaign } = opened;
    await campaign.enqueue(...payloadsOf('crowd', 3));
    await campaign.work(failsWith('rejected'));
    // More than a page of any size the API gives, so that the first three are on none of the first.
    await campaign.enqueue(...payloadsOf('crowd', 505, { step: 2 }));
    await campaign.work(failsWith('target_gone'));
    await using visit = await opened.visit({ path: '/dead-letters?account=crowd' });
    await using other = await opened.visit({ path: '/dead-letters' });
    const { page, complaints } = visit;
    await page.getByRole('button', { name: 'recipient gone 505' }).waitFor();
    await page.getByRole('button', { name: 'rejected 3' }).waitFor();

    await page.getByRole('button', { name: 'Replay 508 that match the filters…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('listitem').filter({ hasText: 'recipient gone' }).getByText('505').waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'crowd' }).getByText('508').waitFor();
    const start = dialog.getByRole('button', { name: 'Replay 508' });
    await start.waitFor();
    expect(await start.isDisabled()).toBe(true);
    await dialog.getByLabel('Type 508 to go on').fill('508');
    await start.click();
    const progress = page.getByRole('region', { name: 'Replay of 508 dead letters' });
    await progress.getByText('Replay running').waitFor();
    await page.reload();
    await progress.getByText(/Replay running: \d+ of 508 dead letters/).waitFor();
    // Another operator sees it too, without the link, and stops it.
    await other.page.getByRole('button', { name: /^Stop after \d+$/ }).click();
    await progress.getByText(/Replay stopped: \d+ of 508 dead letters/).waitFor();
    await progress.getByRole('button', { name: 'Dismiss' }).click();
    await progress.waitFor({ state: 'detached' });
    await other.page.getByRole('region', { name: 'Replay of' }).waitFor({ state: 'detached' });
    await page.getByText('Next page').waitFor();
    expect(complaints).toEqual([]);
  });
});
