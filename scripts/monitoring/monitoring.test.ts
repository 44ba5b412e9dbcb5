import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensurePromtool } from './promtool.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(root + path, 'utf8');
const rules = read('deploy/prometheus/rules.yml');
const alerts = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name);
let promtool: string | undefined;

beforeAll(async () => {
  promtool = await ensurePromtool();
}, 300_000);

/** Output of promtool, failed or not; its status says which. */
async function check(...args: string[]): Promise<string> {
  const cwd = `${root}deploy/prometheus`;
  const { stdout, stderr } = await run(promtool ?? '', args, { cwd });
  return stdout + stderr;
}

describe('the rules of Prometheus', () => {
  it('fire for what they are for, and not for a healthy burst', async ({ skip }) => {
    if (promtool === undefined) skip();
    expect(await check('test', 'rules', 'rules.test.yml')).toContain('SUCCESS');
    await check('check', 'rules', 'rules.yml');
    await check('check', 'config', '--syntax-only', 'prometheus.yml');
  });

  it('each have a test that sees them fire and one that sees them silent', () => {
    const tests = read('deploy/prometheus/rules.test.yml');
    expect(alerts).toHaveLength(8);
    for (const alert of alerts) {
      const fires = new RegExp(`alertname: ${alert}\n\\s+exp_alerts`).test(tests);
      const isSilent = new RegExp(`eval_time: \\w+, alertname: ${alert} \\}`).test(tests);
      expect([alert, fires, isSilent]).toEqual([alert, true, true]);
    }
  });

  it('each have a section of what to do, as urgent as the rule', () => {
    const page = read('docs/operations.md');
    for (const alert of alerts) {
      const [, section = ''] = new RegExp(`\n### ${alert}\n(.*?)(?=\n##|$)`, 's').exec(page) ?? [];
      const [, urgency = ''] = /^\n(Page|Ticket)\. /.exec(section) ?? [];
      const steps = section.match(/^\d\. /gm) ?? [];
      const [, severity] = new RegExp(`- alert: ${alert}\n.*?severity: (\\w+)`, 's').exec(rules) ?? [];
      expect([alert, urgency.toLowerCase(), steps.length > 1]).toEqual([alert, severity, true]);
      expect(rules).toContain(`runbook: docs/operations.md#${alert.toLowerCase()}\n`);
    }
  });
});

describe('rules and dashboard', () => {
  it('ask for metrics that there are', () => {
    const asked = (rules + read('deploy/grafana/dashboards/fairlane.json')).matchAll(/\bfairlane_[a-z_]+/g);
    const page = read('docs/operations.md');
    for (const name of new Set([...asked].map(([found]) => found.replace(/_bucket$/, '')))) {
      expect([name, page.includes(`\`${name}\``)]).toEqual([name, true]);
    }
  });
});
