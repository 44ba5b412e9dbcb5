import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { catalogue, outreachSend } from '@fairlane/jobs/contracts';
import { createConsumer, type Consumer } from '@fairlane/queue';
import { implement, PermanentError, RetryableError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ensureChromium } from './ensure-chromium.js';
import { payloadsOf, useConsole } from './open-console.js';

const redis = useRedis();
const executablePath = await ensureChromium();
const opened = useConsole(redis, executablePath);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const long = `account-of-${'a-customer-with-a-long-name-'.repeat(5)}`;

const ids = { unknown: '', gone: '', running: '', operation: '' };

interface View {
  path: () => string;
  heading: string;
  /** Pressed one after the other: boxes and buttons that lead to a dialog. */
  press?: string[];
}

/** Every page with something on it, and every dialog. */
const views: View[] = [
  { path: () => '', heading: 'Overview' },
  { path: () => '', heading: 'Overview', press: ['Keys'] },
  { path: () => 'accounts', heading: 'Accounts' },
  { path: () => 'accounts?search=none-such', heading: 'Accounts' },
  { path: () => `accounts/${long}`, heading: `Account ${long}` },
  { path: () => `accounts/${long}`, heading: `Account ${long}`, press: ['Edit limits of email'] },
  {
    path: () => `accounts/${long}`,
    heading: `Account ${long}`,
    press: ['Edit share and sending hours', 'Add sending hours', 'Add sending hours'],
  },
  { path: () => 'jobs', heading: 'Jobs' },
  { path: () => 'jobs?tag=none-such', heading: 'Jobs' },
  { path: () => `jobs/${ids.unknown}`, heading: 'Job ', press: ['Show the payload'] },
  { path: () => `jobs/${ids.gone}`, heading: 'Job ', press: ['Remove this job…'] },
  { path: () => `jobs/${ids.running}`, heading: 'Job ', press: ['Take it from its worker…'] },
  { path: () => 'jobs/none-such', heading: 'Job ' },
  { path: () => `dead-letters?operation=${ids.operation}`, heading: 'Dead letters' },
  {
    path: () => 'dead-letters?account=gone',
    heading: 'Dead letters',
    press: ['Replay 3 that match the filters…'],
  },
  {
    path: () => 'dead-letters?account=gone',
    heading: 'Dead letters',
    press: ['Select this page', 'Replay selected (3)'],
  },
  {
    path: () => 'dead-letters?account=gone',
    heading: 'Dead letters',
    press: ['Select this page', 'Remove selected (3)'],
  },
  { path: () => 'workers', heading: 'Workers' },
];

describe.runIf(executablePath)('how the console looks', { timeout: 180_000 }, () => {
  let worker: Consumer | undefined;
  beforeAll(async () => {
    const { campaign, operations } = opened;
    [ids.unknown = ''] = await campaign.enqueue(...payloadsOf(long, 1));
    await campaign.work(async (_payload, ctx) => {
      await ctx.effect('send', {
        perform: () => Promise.reject(new RetryableError({ reason: 'the provider hung up' })),
      });
    });
    [ids.gone = ''] = await campaign.enqueue(...payloadsOf('gone', 3));
    await campaign.work(async () => {
      throw new PermanentError({ code: 'target_gone', reason: `no lead at ${'x'.repeat(300)}` });
    });
    await operations.setLimits(long, 'email', { limit: 1, perMs: 3_600_000 });
    const replay = await operations.replayAll({ filter: { account: 'none-such' }, perSecond: 1, by: 'test' });
    if ('operation' in replay) ids.operation = replay.operation.id;
    [ids.running = ''] = await campaign.enqueue(...payloadsOf('runs-long', 1));
    worker = createConsumer({
      redis: redis.url,
      prefix: opened.prefix,
      catalogue,
      implementations: [implement(outreachSend, () => new Promise(() => undefined))],
      queues: { outreach: { slots: 1 } },
      graceMs: 0,
    });
    await worker.start();
    // Not expect.poll, which only a test may call.
    await vi.waitFor(async () => expect((await operations.job(ids.running))?.state).toBe('active'), {
      timeout: 20_000,
    });
    // Its only slot is taken: these stay.
    await campaign.enqueue(...payloadsOf(long, 2, { step: 2 }));
  });
  afterAll(() => worker?.close());

  test('axe finds nothing on any page or dialog, light and dark, and none scrolls sideways at 200 % or 360 px', async () => {
    await using visit = await opened.visit({ context: { bypassCSP: true } });
    const { page } = visit;
    const found: string[] = [];
    for (const view of views) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await show(page, view);
      const name = `${view.path()} ${view.press?.join(', ') ?? ''}`;
      found.push(...(await problemsIn(page, name)));
    }
    expect(found).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  test('axe finds nothing on the form to sign in, after a wrong password too', async () => {
    await using visit = await opened.visit({ context: { bypassCSP: true } });
    const { page } = visit;
    await page.context().clearCookies();
    await page.goto(opened.board.url);
    await page.getByLabel('User').fill('nobody');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await problemsIn(page, 'sign in')).toEqual([]);
  });
});

/** What is wrong with what is shown, wide and light, narrow and dark, and as wide as 1280 px at 200 % are. */
async function problemsIn(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  const note = (where: string, problems: string[]) =>
    found.push(...problems.map((problem) => `${name}, ${where}: ${problem}`));
  await page.emulateMedia({ colorScheme: 'light' });
  note('light', await problemsOn(page));
  await page.setViewportSize({ width: 640, height: 400 });
  note('200 %', await sidewaysOn(page));
  await page.setViewportSize({ width: 360, height: 740 });
  note('360 px', await sidewaysOn(page));
  await page.emulateMedia({ colorScheme: 'dark' });
  note('dark at 360 px', await problemsOn(page));
  return found;
}

async function show(page: Page, { path, heading, press = [] }: View): Promise<void> {
  await page.goto(`${opened.board.url}/${path()}`);
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.getByText(/^Live /).waitFor();
  for (const name of press)
    await page.getByLabel(name).or(page.getByRole('button', { name })).first().click();
  if (press.length > 0 && press[0] !== 'Show the payload') await page.getByRole('dialog').waitFor();
}

/** Rules of WCAG 2.2 A and AA and of good practice that are broken, with where. */
async function problemsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate<string[]>(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id} at ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`))',
  );
}

/** By how much the page, or a dialog on it, is too wide, and what sticks out. */
async function sidewaysOn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    [document.documentElement, ...document.querySelectorAll('dialog')].flatMap((box) => {
      const { scrollWidth, clientWidth } = box;
      if (scrollWidth <= clientWidth) return [];
      const { right } = box.getBoundingClientRect();
      const out = [...box.querySelectorAll('*')].filter(
        (one) => one.getBoundingClientRect().right > right && one.closest('.table-box') === null,
      );
      const outer = out.map(({ outerHTML }) => outerHTML.slice(0, 80)).join(' ');
      return [box.tagName + ' by ' + (scrollWidth - clientWidth) + ' px: ' + outer];
    })`);
}
