import type { Page } from 'playwright-core';
import type { Visit } from './page-times.js';
import { RARE_CODE } from './seed-dead.js';

interface Known {
  deadId: string;
  checkedId: string;
  inlineId: string;
}

const text = (content: string) => (page: Page) => page.getByText(content).first().waitFor();
const rows = (label: string) => (page: Page) =>
  page.getByRole('group', { name: label }).locator('tbody tr').first().waitFor();

/** Every page that lists or shows jobs. */
export function pagesOf({ deadId, checkedId, inlineId }: Known): Visit[] {
  const bull = '/queues/queue/outreach';
  return [
    { name: 'Bull Board: overview', path: '/queues/', isUsable: text('outreach') },
    { name: 'Bull Board: failed', path: `${bull}?status=failed`, isUsable: text('outreach.send') },
    {
      name: 'Bull Board: failed, last page',
      path: `${bull}?status=failed&page=20`,
      isUsable: text('outreach.send'),
    },
    { name: 'Bull Board: latest', path: `${bull}?status=latest`, isUsable: text('outreach.send') },
    {
      name: 'Bull Board: waiting, 3 MB each',
      path: `${bull}?status=waiting`,
      isUsable: text('outreach.send'),
    },
    { name: 'Bull Board: a failed job', path: `${bull}/${deadId}?status=failed`, isUsable: text(deadId) },
    { name: 'Bull Board: a job of 3 MB', path: `${bull}/${inlineId}`, isUsable: text(inlineId) },
    { name: 'Console: overview', path: '/', isUsable: rows('Queues') },
    { name: 'Console: accounts', path: '/accounts', isUsable: rows('Accounts') },
    { name: 'Console: accounts, searched', path: '/accounts?search=account-1', isUsable: rows('Accounts') },
    {
      name: 'Console: an account',
      path: '/accounts/account-1',
      isUsable: text('dead letters of this account'),
    },
    { name: 'Console: jobs', path: '/jobs', isUsable: rows('Jobs') },
    { name: 'Console: jobs, dead', path: '/jobs?state=dead', isUsable: rows('Jobs') },
    { name: 'Console: a job', path: `/jobs/${deadId}`, isUsable: text('the outside said') },
    { name: 'Console: a job of 3 MB', path: `/jobs/${inlineId}`, isUsable: text('Show the payload') },
    { name: 'Console: dead letters', path: '/dead-letters', isUsable: rows('Dead letters') },
    {
      name: 'Console: dead letters, rare code',
      path: `/dead-letters?code=${RARE_CODE}`,
      isUsable: rows('Dead letters'),
    },
    {
      name: 'Console: dead letters, account and code',
      path: `/dead-letters?account=account-0&code=${RARE_CODE}`,
      isUsable: rows('Dead letters'),
    },
    { name: 'Console: workers', path: '/workers', isUsable: text('No worker') },
    { name: 'Console: payload of 3 MB by claim check', path: `/jobs/${checkedId}`, isUsable: showPayload },
    { name: 'Console: payload of 3 MB inside', path: `/jobs/${inlineId}`, isUsable: showPayload },
  ];
}

async function showPayload(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show the payload' }).click();
  await page.getByText('These are the first 100 KB.').waitFor();
}
