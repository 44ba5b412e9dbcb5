import type { DemoResult } from './run-demo.js';
import { isGood, type Summary } from './summary.js';

/** The summary for people. */
export function formatResult({ summary, rejections, kept }: DemoResult): string {
  const lines = [...figures(summary)];
  for (const [reason, count] of rejections) lines.push(`  rejected ${count} x ${reason}`);
  lines.push('', isGood(summary) ? 'Nothing lost, nothing sent twice.' : verdict(summary));
  if (kept !== undefined) lines.push('', ...keptLines(kept));
  return `${lines.join('\n')}\n`;
}

function figures(summary: Summary): string[] {
  const codes = Object.entries(summary.deadByCode).map(([code, count]) => `${count} ${code}`);
  const seconds = (summary.elapsedMs / 1000).toFixed(1);
  const rows: [string, string][] = [
    [
      'jobs',
      `${summary.jobs} of ${summary.accounts} accounts, ${summary.workers} worker(s), seed ${summary.seed}`,
    ],
    ['accepted', `${summary.accepted}, duplicates ${summary.duplicates}`],
    ['completed', `${summary.completed} in ${seconds} s (${summary.jobsPerSecond} a second)`],
    [
      'dead',
      `${summary.dead}${codes.length > 0 ? ` (${codes.join(', ')})` : ''}; the platform expects ${summary.expectedDead}`,
    ],
    ['lost', String(summary.lost)],
    ['messages', `${summary.effects.applied} sent, ${summary.effects.repeated} repeated`],
    ['over the limit', figure(summary.limits.violations)],
    ['workers killed', String(summary.workersKilled)],
    ['time in queue', `p50 ${ms(summary.timeInQueueMs.p50)}, p99 ${ms(summary.timeInQueueMs.p99)}`],
    ['processing', `p50 ${ms(summary.processingMs.p50)}, p99 ${ms(summary.processingMs.p99)}`],
    [
      'small accounts',
      `waited p50 ${ms(summary.smallAccounts.waitMs.p50)}, p99 ${ms(summary.smallAccounts.waitMs.p99)}`,
    ],
    [
      'largest account',
      `${summary.largestAccount.jobs} jobs, waited p50 ${ms(summary.largestAccount.waitMs.p50)}, p99 ${ms(summary.largestAccount.waitMs.p99)}`,
    ],
  ];
  return rows.map(([name, value]) => `${name.padEnd(16)}${value}`);
}

function verdict(summary: Summary): string {
  const broken = [
    summary.lost > 0 ? `${summary.lost} lost` : undefined,
    summary.effects.repeated > 0 ? `${summary.effects.repeated} sent twice` : undefined,
    (summary.limits.violations ?? 0) > 0 ? `${summary.limits.violations} over the limit` : undefined,
    summary.dead === summary.expectedDead
      ? undefined
      : `${summary.dead} dead instead of ${summary.expectedDead}`,
  ];
  return `BROKEN: ${broken.filter((part) => part !== undefined).join(', ')}`;
}

function keptLines({ description, file, campaignFile }: NonNullable<DemoResult['kept']>): string[] {
  const { api, board, tokens, boardUsers } = description;
  return [
    'Still running:',
    `  API      ${api}   (documentation ${api}/docs)`,
    `  board    ${board}   user ${boardUsers.operator.user}, password ${boardUsers.operator.password}`,
    `  sandbox  ${description.sandbox}`,
    `  Redis    ${description.redisUrl}`,
    `  token    ${tokens.producer} (producer)`,
    `  token    ${tokens.operator} (operator)`,
    `  all of it, in JSON: ${file}`,
    '',
    'Post the same campaign again, which answers duplicates only:',
    `  npm run demo -- --file ${campaignFile} --against ${file}`,
    `  curl -sS -H 'Authorization: Bearer ${tokens.producer}' -T ${campaignFile} -X POST ${api}/v1/jobs/outreach.send/batch | tail -1`,
    'Stop it:',
    '  npm stop',
  ];
}

function figure(value: number | null): string {
  return value === null ? 'not measured' : String(value);
}

function ms(value: number | null): string {
  return value === null ? 'not measured' : `${Math.round(value)} ms`;
}
