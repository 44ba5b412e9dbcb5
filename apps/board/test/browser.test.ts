import { PermanentError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCampaign, outreachPayload } from './campaign.js';
import { chromiumFlags, ensureChromium } from './ensure-chromium.js';
import { startPrefixProxy } from './prefix-proxy.js';
import { passwords, serveBoard } from './serve-board.js';

const redis = useRedis();
const executablePath = await ensureChromium();

describe.runIf(executablePath)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: chromiumFlags });
  });
  afterAll(() => browser.close());

  /** A campaign with five dead and five completed jobs, and a page that reports whatever the browser complains about. */
  async function start() {
    const campaign = openCampaign(redis.url, redis.prefix);
    const board = await serveBoard({
      redisUrl: redis.url,
      prefix: redis.prefix,
      deps: { queues: campaign.queues, replay: (queue, id) => campaign.replay(queue, id) },
    });
    const context = await browser.newContext();
    const page = await context.newPage();
    const complaints: string[] = [];
    const requested: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => requested.push(request.url()));
    return {
      campaign,
      board,
      page,
      complaints,
      requested,
      async [Symbol.asyncDispose]() {
        await context.close();
        await board[Symbol.asyncDispose]();
        await campaign[Symbol.asyncDispose]();
      },
    };
  }

  test('nothing is seen without log-in, and with it the jobs of the campaign', async () => {
    await using started = await start();
    const { campaign, board, page, complaints, requested } = started;
    const ids = await campaign.enqueue(...Array.from({ length: 10 }, (_, lead) => outreachPayload(lead)));
    await campaign.work(failOddLeads);

    await logIn(page, `${board.url}/queues/queue/outreach?status=completed`, 'operator');
    await page.getByText('outreach.send').first().waitFor();
    for (const id of ids.filter((_, lead) => lead % 2 === 0)) {
      expect(await page.getByText(id, { exact: true }).count()).toBe(1);
    }
    await page.getByText('Data', { exact: true }).first().click();
    await page.getByText('[redacted]').first().waitFor();

    await page
      .getByRole('button', { name: 'Sign out' })
      .or(page.locator('button:has(.lucide-circle-user)'))
      .click();
    await page.getByText('Sign out').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();

    expect(complaints).toEqual([]);
    const elsewhere = requested.filter((url) => !url.startsWith(board.url) && !url.startsWith('data:'));
    expect(elsewhere).toEqual([]);
  });

  test('a wrong password says so and stays at the form', async () => {
    await using started = await start();
    const { board, page } = started;
    await page.goto(board.url);
    await page.getByLabel('User').fill('operator');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').textContent()).toBe('User or password is wrong.');
  });

  test('an operator replays a dead job, and is offered nothing else', async () => {
    await using started = await start();
    const { campaign, board, page, complaints } = started;
    await campaign.enqueue(outreachPayload(1));
    await campaign.work(failOddLeads);

    await logIn(page, `${board.url}/queues/queue/outreach?status=failed`, 'operator');
    await page.getByText('outreach.send').waitFor();
    const main = page.locator('main, #root section').first();
    expect(await page.getByRole('button', { name: /retry all|clean all/i }).count()).toBe(0);
    expect(await page.locator('ul[class^="jobActions-"] li:visible').count()).toBe(1);
    expect(await main.locator('button[aria-haspopup="menu"]:visible').count()).toBe(0);

    await page.locator('ul[class^="jobActions-"] button').first().click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect.poll(() => countOf(campaign, 'waiting')).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('a viewer sees no payload and is offered no action; a forged one is refused', async () => {
    await using started = await start();
    const { campaign, board, page, complaints } = started;
    const [id = ''] = await campaign.enqueue(outreachPayload(1));
    await campaign.work(failOddLeads);

    await logIn(page, `${board.url}/queues/queue/outreach?status=failed`, 'viewer');
    await page.getByText('outreach.send').waitFor();
    expect(await page.locator('[class^="jobActions-"], [class^="queueActions-"]').count()).toBe(0);
    await page.getByText('Data', { exact: true }).click();
    await page.getByText('The viewer role does not see payloads.').waitFor();
    expect(complaints).toEqual([]);

    const token = (await page.context().cookies()).find(({ name }) => name === 'XSRF-TOKEN')?.value ?? '';
    const forged = await page.request.put(`${board.url}/queues/api/queues/outreach/${id}/retry`, {
      headers: { 'x-xsrf-token': token },
    });
    expect(forged.status()).toBe(403);
    expect(await countOf(campaign, 'failed')).toBe(1);
  });

  test('hostile text in every field stays text', async () => {
    await using started = await start();
    const { campaign, board, page, complaints } = started;
    const hostile = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>{{7*7}}`;
    const [id = ''] = await campaign.enqueue(
      outreachPayload(1, {
        accountId: hostile,
        leadId: hostile,
        campaign: hostile,
        to: hostile,
        body: hostile,
      }),
    );
    await campaign.work(async () => {
      throw new PermanentError({ code: 'rejected', reason: hostile });
    });
    const key = `${redis.prefix}:outreach:${id}`;
    await redis.client.hset(key, { name: hostile, progress: JSON.stringify(hostile), pb: hostile });

    for (const role of ['operator', 'viewer'] as const) {
      await page.context().clearCookies();
      await logIn(page, `${board.url}/queues/queue/outreach?status=failed`, role);
      await page.getByText(hostile).first().waitFor();
      for (const tab of ['Data', 'Progress', 'Options', 'Error']) {
        await page.getByText(tab, { exact: true }).first().click();
      }
      await page.goto(`${board.url}/queues/queue/outreach/${id}?status=failed`);
      await page.getByText(hostile).first().waitFor();
      await page.goto(
        `${board.url}/queues/queue/${encodeURIComponent(hostile)}/${encodeURIComponent(hostile)}`,
      );
      await page.waitForLoadState('networkidle');
      expect(await page.title()).not.toBe('owned');
    }
    expect(complaints.filter((text) => !/404|Failed to load resource/.test(text))).toEqual([]);
  });

  test.each([
    ['takes the prefix off', true],
    ['leaves the prefix on', false],
  ])('A37: assets, log-in and actions work under a path when the proxy %s', async (_case, strips) => {
    await using started = await start();
    const { campaign, page, complaints } = started;
    await campaign.enqueue(outreachPayload(1));
    await campaign.work(failOddLeads);
    await using board = await serveBoard({
      redisUrl: redis.url,
      prefix: redis.prefix,
      deps: {
        queues: campaign.queues,
        replay: (queue, id) => campaign.replay(queue, id),
        ...(strips ? {} : { basePath: '/x/y' }),
      },
    });
    await using proxy = await startPrefixProxy({ target: board.url, prefix: '/x/y', strips });

    await logIn(page, `${proxy.url}/queues/queue/outreach?status=failed`, 'operator');
    await page.getByText('outreach.send').waitFor();
    expect(page.url()).toBe(`${proxy.url}/queues/queue/outreach?status=failed`);
    const cookies = await page.context().cookies();
    expect(cookies.map(({ path }) => path)).toEqual(['/x/y/', '/x/y/']);
    await page.locator('ul[class^="jobActions-"] button').first().click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect.poll(() => countOf(campaign, 'waiting')).toBe(1);
    await page.goto(`${proxy.url}/`);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.getByRole('link', { name: 'Accounts', exact: true }).click();
    expect(page.url()).toBe(`${proxy.url}/accounts`);
    // There is no API behind this board: its answers say so, and nothing else is wrong.
    expect(complaints.filter((text) => !/status of 503/.test(text))).toEqual([]);
  });
});

async function countOf(
  campaign: ReturnType<typeof openCampaign>,
  state: 'waiting' | 'failed',
): Promise<number> {
  const outreach = campaign.queues.find(({ name }) => name === 'outreach');
  return (await outreach?.getJobCountByTypes(state)) ?? 0;
}

async function logIn(page: Page, url: string, role: keyof typeof passwords): Promise<void> {
  const answer = await page.goto(url);
  expect(answer?.status()).toBe(401);
  await page.getByLabel('User').fill(role);
  await page.getByLabel('Password').fill(passwords[role]);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function failOddLeads({ leadId }: { leadId: string }): Promise<{ messageId: string }> {
  if (Number(leadId.slice(5)) % 2 === 1)
    throw new PermanentError({ code: 'target_gone', reason: 'lead is gone' });
  return { messageId: `m-${leadId}` };
}
