import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { startDeployment, type DeploymentDescription } from '../../src/deployment/deployment.js';
import { openOutside } from './outside.js';

export interface Watched extends DeploymentDescription {
  folder: string;
  /** Status and body of a call in the operator's role. */
  call: (method: string, path: string, body?: string) => Promise<{ status: number; text: string }>;
  /** Hands in outreach messages, of one account or each of an account of its own from number `firstAccount` on. */
  handIn(count: number, options?: { account?: string; firstAccount?: number; body?: string }): Promise<void>;
  /** Jobs of the queue `outreach` by state. */
  counts(): Promise<Record<string, number>>;
}

/** API, board and workers as they are built, with an outside that always answers, until the test ends. */
export async function watchedDeployment(workers: number, latencyMs: number): Promise<Watched> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlane-watched-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const outside = await openOutside(latencyMs);
  onTestFinished(() => outside.close());
  const deployment = await startDeployment({
    dir: folder,
    workers,
    appendfsync: 'everysec',
    ledger: 'redis',
    prefix: '{watched}',
    sandboxUrl: outside.url,
    sandboxSeed: 1,
    sandboxAccounts: 0,
    env: { LOG_LEVEL: 'warn' },
    onCasualty: ({ name, logFile }) => {
      throw new Error(`${name} ended unexpectedly, see ${logFile}`);
    },
    signal: new AbortController().signal,
  });
  onTestFinished(() => deployment.stop());
  const description = deployment.describe();
  let handedIn = 0;

  async function call(method: string, path: string, body?: string) {
    const response = await fetch(description.api + path, {
      method,
      headers: {
        authorization: `Bearer ${description.tokens.operator}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, text: await response.text() };
  }

  return {
    ...description,
    folder,
    call,
    async handIn(count, { account, firstAccount = 0, body = 'hello' } = {}) {
      const lines = Array.from({ length: count }, (_value, at) => {
        const accountId = account ?? `account-${firstAccount + at}`;
        handedIn += 1;
        const lead = { leadId: `lead-${handedIn}`, step: 1, campaignRev: 1, to: 'someone@example.com' };
        return JSON.stringify({ accountId, ...lead, channel: 'email', body });
      });
      const { text } = await call('POST', '/v1/jobs/outreach.send/batch', lines.join('\n'));
      const accepted = text.match(/"status":"accepted"/g)?.length ?? 0;
      if (accepted !== count) throw new Error(`${accepted} of ${count} were accepted`);
    },
    async counts() {
      const { text } = await call('GET', '/v1/queues/outreach');
      return (JSON.parse(text) as { counts: Record<string, number> }).counts;
    },
  };
}
