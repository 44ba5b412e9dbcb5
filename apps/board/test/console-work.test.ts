import { PermanentError, RetryableError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, test } from 'vitest';
import { ensureChromium } from './ensure-chromium.js';
import { focusedName, tabTo } from './keyboard.js';
import { payloadsOf, useConsole } from './open-console.js';

const redis = useRedis();
const executablePath = await ensureChromium();
const opened = useConsole(redis, executablePath);

const gone = async (): Promise<never> => {
  throw new PermanentError({ code: 'target_gone', reason: 'the lead is gone' });
};

describe.runIf(executablePath)('work seen and steered in the console', () => {
  test('an unknown outcome is resolved by who looked it up, with the keyboard only', async () => {
    const { campaign } = opened;
    const [id = ''] = await campaign.enqueue(...payloadsOf('unsure', 1));
    await campaign.work(async (_payload, ctx) => {
      // Can be neither asked about nor repeated.
      await ctx.effect('send', {
        perform: () => Promise.reject(new RetryableError({ reason: 'the provider hung up' })),
      });
    });
    await using visit = await opened.visit({ path: '/' });
    const { page, complaints } = visit;
    const { keyboard } = page;
    await page.locator('section', { hasText: 'Unknown outcomes' }).getByText('outreach.send').waitFor();
    // No account waits in a lane; what no worker can handle would not be told of here.
    await page.getByRole('link', { name: 'held jobs' }).waitFor();
    await tabTo(page, 'outreach.send', { back: true });
    await keyboard.press('Enter');
    await page.getByText('is not repeated until a person says').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/jobs/${id}`);
    // When it was given up is not when it was sent: the provider's log is searched by that time.
    await page.getByText(/^An attempt before .* ended without an answer/).waitFor();
    const attempt = page.getByRole('group', { name: 'Failed attempts' }).locator('tbody tr');
    expect(await attempt.textContent()).toMatch(/^1.*outcome unknown.*does not pass by itself.*\w-\d+/);
    expect(await page.getByRole('button', { name: 'Replay this job' }).count()).toBe(0);

    // The content is where reading goes on, not the header of another page.
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await tabTo(page, 'Id the provider shows');
    await keyboard.type('m-77');
    await keyboard.press('Tab');
    expect(await focusedName(page)).toBe('It was sent');
    await keyboard.press('Tab');
    expect(await focusedName(page)).toBe('It was not sent');
    await keyboard.press('Shift+Tab');
    await keyboard.press('Enter');
    await page.getByText('Noted that it was sent').waitFor();
    await page.getByRole('cell', { name: 'm-77' }).waitFor();
    // The question is gone, and the keyboard goes on where its answer stands.
    await page.getByRole('button', { name: 'It was sent' }).waitFor({ state: 'detached' });
    expect(await focusedName(page)).toBe('Effects');
    // It goes on by itself, and the effect is not performed again.
    await campaign.work(async (_payload, ctx) => {
      await ctx.effect('send', { perform: () => Promise.reject(new Error('sent twice')) });
    });
    await page.getByText('It is done.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a running campaign is watched without a reload; rows do not move, newer ones are offered', async () => {
    const { campaign } = opened;
    const ids = await campaign.enqueue(...payloadsOf('busy', 3));
    await using visit = await opened.visit({ path: '/jobs?account=busy' });
    const { page, complaints } = visit;
    const rows = page.getByRole('group', { name: 'Jobs' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(3);
    const shown = await rows.locator('.id').allTextContents();
    expect(shown.toSorted()).toEqual(ids.toSorted());
    await page.evaluate('window.notReloaded = true');
    await campaign.enqueue(...payloadsOf('busy', 2, { step: 2 }));
    await page.getByRole('button', { name: '2 new, show' }).waitFor();
    await campaign.work(async () => ({ messageId: 'm' }));
    await expect.poll(() => rows.filter({ hasText: 'completed' }).count()).toBe(3);
    expect(await rows.locator('.id').allTextContents()).toEqual(shown);
    await page.getByRole('button', { name: '2 new, show' }).click();
    await expect.poll(() => rows.count()).toBe(5);
    expect(await page.evaluate('window.notReloaded')).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('selected rows stay selected while others die, and a replay needs the keyboard only', async () => {
    const { campaign } = opened;
    await campaign.enqueue(...payloadsOf('keys', 2));
    await campaign.work(gone);
    await using visit = await opened.visit({ path: '/' });
    const { page, complaints } = visit;
    const { keyboard } = page;
    await page.getByText(/^Live /).waitFor();
    await keyboard.press('g');
    await keyboard.press('d');
    await page.getByRole('heading', { name: 'Dead letters', level: 1 }).waitFor();
    await keyboard.press('/');
    await keyboard.type('keys');
    await expect.poll(() => new URL(page.url()).search).toBe('?account=keys');
    const boxes = page.getByRole('checkbox', { name: /^Select (?!this page)/ });
    await expect.poll(() => boxes.count()).toBe(2);
    await keyboard.press('Escape');
    // Leaves the field, and the filter as it is.
    await expect.poll(() => page.evaluate('document.activeElement.matches("input")')).toBe(false);
    expect(await page.getByLabel('Account').inputValue()).toBe('keys');
    await keyboard.press('j');
    await keyboard.press('j');
    // From the row's link back to its checkbox.
    await keyboard.press('Shift+Tab');
    await keyboard.press('Space');
    await page.getByRole('button', { name: 'Replay selected (1)' }).waitFor();
    expect(await boxes.nth(1).isChecked()).toBe(true);

    await campaign.enqueue(...payloadsOf('keys', 2, { step: 2 }));
    await campaign.work(gone);
    await page.getByRole('button', { name: '2 new, show' }).waitFor();
    expect(await boxes.count()).toBe(2);
    expect(await boxes.nth(1).isChecked()).toBe(true);

    await tabTo(page, 'Replay selected (1)', { back: true });
    await keyboard.press('Enter');
    await page.getByText('1 dead letter replayed.').waitFor();
    await page.getByRole('button', { name: 'Replay selected (0)' }).waitFor();
    // Its button is off now: the keyboard goes on at the content, not in the header.
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    expect(complaints).toEqual([]);
  });

  test('all that match are replayed after a dry run, which what dies later is not part of; a reload finds it', async () => {
    const { campaign } = opened;
    await campaign.enqueue(...payloadsOf('many', 3));
    await campaign.work(gone);
    await using visit = await opened.visit({ path: '/dead-letters?account=many' });
    const { page, complaints } = visit;
    // A clock that is ahead makes nothing of later part of it.
    await page.clock.setSystemTime(Date.now() + 3_600_000);
    await page.getByRole('button', { name: 'Replay 3 that match the filters…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('3 dead letters').waitFor();
    await dialog
      .getByRole('listitem')
      .filter({ hasText: /^recipient gone 3$/ })
      .waitFor();
    await dialog
      .getByRole('listitem')
      .filter({ hasText: /^many 3$/ })
      .waitFor();
    const [late = ''] = await campaign.enqueue(...payloadsOf('many', 1, { step: 2 }));
    await campaign.work(gone);
    await dialog.getByRole('button', { name: 'Replay 3' }).click();
    const progress = page.getByRole('region', { name: 'Replay of 3 dead letters' });
    await progress.getByText('3 of 3 dead letters').waitFor();
    await page.reload();
    await progress.getByText('Replay done: 3 of 3 dead letters').waitFor();
    await page.getByText(late).waitFor();
    expect(await page.getByRole('checkbox', { name: /^Select (?!this page)/ }).count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('a job of another producer is looked at in its queue, and offers nothing that would change it', async () => {
    const outreach = opened.campaign.queues.find(({ name }) => name === 'outreach');
    const bulk = opened.campaign.queues.find(({ name }) => name === 'bulk');
    await bulk?.add('bulk.other', { from: 'elsewhere' });
    const other = await outreach?.add('outreach.other', { from: 'elsewhere' });
    await using visit = await opened.visit({ path: '/jobs?queue=bulk' });
    const { page, complaints } = visit;
    await page.getByRole('link', { name: 'bulk.other' }).click();
    await page.getByText('Another producer has put this job into the queue').waitFor();
    await page.getByText('It may start and waits for its turn.').waitFor();
    const buttons = page.getByRole('main').getByRole('button');
    expect(await buttons.allTextContents()).toEqual(['Show the payload']);
    await buttons.click();
    await page.getByText('{"from":"elsewhere"}').waitFor();
    await page.goto(`${opened.board.url}/jobs/${other?.id}?queue=outreach`);
    await page.getByText('outreach.other').waitFor();
    await other?.remove();
    expect(complaints).toEqual([]);
  });

  test('hostile text in every field and address stays text', async () => {
    const { campaign, operations } = opened;
    const hostile = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>{{7*7}}/..%2F`;
    const fields = { leadId: hostile, campaign: hostile, to: hostile, body: hostile };
    const [id = ''] = await campaign.enqueue(...payloadsOf(hostile, 1, fields));
    await operations.setLimits(hostile, 'email', { limit: 5, perMs: 60_000 });
    await operations.pause(hostile, hostile);
    await operations.resume(hostile, hostile);
    await campaign.work(async () => {
      throw new PermanentError({ code: 'rejected', reason: hostile });
    });
    await using visit = await opened.visit({ path: `/accounts/${encodeURIComponent(hostile)}` });
    const { page, complaints } = visit;
    const text = encodeURIComponent(hostile);
    const pages = [
      [`?queue=${text}`, 'Overview'],
      [`accounts?search=${text}`, 'Accounts'],
      [`accounts/${text}`, 'Account '],
      [`accounts/none${text}`, 'none'],
      [`jobs?account=${text}&queue=${text}&tag=${text}&name=${text}&since=${text}`, 'Jobs'],
      [`jobs?account=${text}`, 'Jobs'],
      [`jobs/${id}`, 'Job '],
      [`jobs/${text}`, 'Job '],
      [`dead-letters?account=${text}`, 'Dead letters'],
      [`dead-letters?code=${text}&operation=${text}&cursor=${text}`, 'Dead letters'],
      [`workers/${text}`, 'Workers'],
    ];
    for (const [path = '', heading = ''] of pages) {
      await page.goto(`${opened.board.url}/${path}`);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      if (path === `jobs/${id}`) await page.getByRole('button', { name: 'Show the payload' }).click();
      if (path.includes(id) || path === `dead-letters?account=${text}`) {
        await page.getByText(hostile).first().waitFor();
      }
      expect(await page.title()).not.toBe('owned');
      expect(await page.locator('main img, main script').count()).toBe(0);
    }
    expect(complaints).toEqual([]);
  });
});
