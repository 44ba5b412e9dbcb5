import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PermanentError, RetryableError } from '@fairlane/sdk';
import { useRedis } from '@fairlane/testkit/vitest';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureChromium } from './ensure-chromium.js';
import { payloadsOf, useConsole } from './open-console.js';

const redis = useRedis();
const executablePath = await ensureChromium();
const opened = useConsole(redis, executablePath);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const long = `account-of-${'a-customer-with-a-long-name-'.repeat(5)}`;

const ids = { unknown: '' };

/** Every page with something on it, and every dialog. */
const views: { path: () => string; heading: string; open?: string }[] = [
  { path: () => '', heading: 'Overview' },
  { path: () => '', heading: 'Overview', open: 'Keys' },
  { path: () => 'accounts', heading: 'Accounts' },
  { path: () => `accounts/${long}`, heading: `Account ${long}` },
  { path: () => `accounts/${long}`, heading: `Account ${long}`, open: 'Edit limits of email' },
  { path: () => 'jobs', heading: 'Jobs' },
  { path: () => 'jobs?tag=none-such', heading: 'Jobs' },
  { path: () => `jobs/${ids.unknown}`, heading: 'Job ' },
  { path: () => 'dead-letters', heading: 'Dead letters' },
  { path: () => 'dead-letters?account=gone', heading: 'Dead letters', open: 'Replay those that match…' },
  { path: () => 'workers', heading: 'Workers' },
];

describe.runIf(executablePath)('how the console looks', { timeout: 90_000 }, () => {
  beforeAll(async () => {
    const { campaign, operations } = opened;
    [ids.unknown = ''] = await campaign.enqueue(...payloadsOf(long, 1));
    await campaign.work(async (_payload, ctx) => {
      await ctx.effect('send', {
        perform: () => Promise.reject(new RetryableError({ reason: 'the provider hung up' })),
      });
    });
    await campaign.enqueue(...payloadsOf('gone', 3));
    await campaign.work(async () => {
      throw new PermanentError({ code: 'target_gone', reason: `no lead at ${'x'.repeat(300)}` });
    });
    await operations.setLimits(long, 'email', { limit: 1, perMs: 3_600_000 });
    await campaign.enqueue(...payloadsOf(long, 2, { step: 2 }));
  });

  test('axe finds nothing on any page or dialog, light and dark, and none scrolls sideways at 360 px', async () => {
    await using visit = await opened.visit({ context: { bypassCSP: true } });
    const { page } = visit;
    const found: string[] = [];
    for (const view of views) {
      await page.setViewportSize({ width: 1200, height: 800 });
      await show(page, view);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const problem of await problemsOn(page)) note(colorScheme, problem);
      }
      await page.setViewportSize({ width: 360, height: 740 });
      for (const problem of await sidewaysOn(page)) note('360 px', problem);

      function note(where: string, problem: string) {
        found.push(`${view.path()} ${view.open ?? ''}, ${where}: ${problem}`);
      }
    }
    expect(found).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });
});

async function show(page: Page, { path, heading, open }: (typeof views)[number]): Promise<void> {
  await page.goto(`${opened.board.url}/${path()}`);
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.getByText(/^Live /).waitFor();
  if (open === undefined) return;
  await page.getByRole('button', { name: open }).first().click();
  await page.getByRole('dialog').waitFor();
}

/** Rules of WCAG 2.2 A and AA and of good practice that are broken, with where. */
async function problemsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate<string[]>(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id} at ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`))',
  );
}

/** By how much the page is too wide, and what sticks out. */
async function sidewaysOn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    (() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      if (scrollWidth <= clientWidth) return [];
      const out = [...document.querySelectorAll('body *')].filter(
        (one) => one.getBoundingClientRect().right > clientWidth && one.closest('.table-box') === null,
      );
      return [(scrollWidth - clientWidth) + ' px: ' + out.map(({ outerHTML }) => outerHTML.slice(0, 80)).join(' ')];
    })()`);
}
