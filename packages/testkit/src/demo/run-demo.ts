import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Interruption } from '../command/run-command.js';
import { createRunDir } from '../command/state-dir.js';
import { startDeployment, type Deployment, type DeploymentDescription } from '../deployment/deployment.js';
import { readDescription, writeKept } from '../deployment/kept.js';
import type { AccountView } from '../sandbox/index.js';
import { removeKeys } from '../servers/remove-keys.js';
import { createApiClient } from './api-client.js';
import { openCampaign, type CampaignFile } from './campaign-source.js';
import type { DemoOptions } from './options.js';
import { createPlatformAccounts, listAccounts, setListedLimits } from './platform-accounts.js';
import { runCampaign } from './run-campaign.js';
import type { Summary } from './summary.js';

export interface DemoResult {
  summary: Summary;
  rejections: ReadonlyMap<string, number>;
  /** With `keep`: what runs on, and how to post the same campaign again. */
  kept?: { description: DeploymentDescription; file: string; campaignFile: string };
}

/** Starts everything, runs one campaign, and stops everything unless it is to be kept. */
export async function runDemo(
  options: DemoOptions,
  interruption: Interruption,
  say: (line: string) => void,
): Promise<DemoResult> {
  const { id, dir } = await createRunDir('demo');
  let leaveDir = false;
  try {
    const listed =
      options.sandbox === undefined ? undefined : await listAccounts(options.sandbox, options.accounts);
    const existing = listed?.map(({ account }) => account);
    const campaign = await openCampaign({ ...options, existing }, join(dir, 'campaign.ndjson'));
    say(`campaign: ${campaign.jobs} jobs of ${campaign.accounts.size} accounts`);
    if (options.against !== undefined) {
      return await runOn(await readDescription(options.against), campaign, options, interruption);
    }
    const result = await runOnOwn({ options, interruption, say, campaign, listed, id, dir });
    leaveDir = result.kept !== undefined;
    return result;
  } catch (error) {
    // The logs are what one wants to read after a failure.
    leaveDir = interruption.received() === undefined;
    throw error;
  } finally {
    if (!leaveDir) await rm(dir, { recursive: true, force: true });
  }
}

interface OwnRun {
  options: DemoOptions;
  interruption: Interruption;
  say: (line: string) => void;
  campaign: CampaignFile;
  listed: readonly AccountView[] | undefined;
  id: string;
  dir: string;
}

async function runOnOwn(run: OwnRun): Promise<DemoResult> {
  const { options, interruption, campaign, id, dir } = run;
  const prefix = `{fairlane-${id}}`;
  const redisUrl = process.env['REDIS_URL'] || undefined;
  run.say(`starting ${redisUrl === undefined ? 'Redis, ' : ''}API, board and ${options.workers} worker(s)`);
  const deployment = await startDeployment({
    dir,
    workers: options.workers,
    redisUrl,
    // Nothing that was accepted may be lost, not even with the machine.
    appendfsync: 'always',
    ledger: options.ledger,
    databaseUrl: process.env['DATABASE_URL'] || undefined,
    prefix,
    sandboxUrl: options.sandbox,
    sandboxSeed: options.seed,
    sandboxAccounts: 0,
    // A killed worker's jobs come back after the lease: the shortest one keeps the demo short.
    env: { WORKER_LEASE_MS: '5000', LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn' },
    onCasualty: ({ name, logFile }) =>
      interruption.abort(new Error(`${name} ended unexpectedly, see ${logFile}`)),
    signal: interruption.signal,
  });
  let kept = false;
  try {
    const result = await runOn(
      deployment.describe(),
      campaign,
      options,
      interruption,
      deployment,
      run.listed,
    );
    if (!options.keep) return result;
    const file = await writeKept(dir, deployment);
    deployment.release();
    kept = true;
    return { ...result, kept: { description: deployment.describe(), file, campaignFile: campaign.file } };
  } finally {
    if (!kept) {
      await deployment.stop();
      if (redisUrl !== undefined) await removeKeys(redisUrl, prefix);
    }
  }
}

async function runOn(
  description: DeploymentDescription,
  campaign: CampaignFile,
  options: DemoOptions,
  { signal }: Interruption,
  deployment?: Deployment,
  listed?: readonly AccountView[],
): Promise<DemoResult> {
  const api = createApiClient({ url: description.api, tokens: description.tokens, signal });
  try {
    let limited = false;
    if (deployment !== undefined) {
      const accounts = listed ?? (await createPlatformAccounts(description.sandbox, campaign));
      limited = await setListedLimits(api, accounts, campaign);
    }
    return await runCampaign({
      api,
      campaign,
      description,
      seed: options.seed,
      kills: options.kill,
      ...(deployment === undefined ? {} : { deployment }),
      limited,
      signal,
    });
  } finally {
    api.close();
  }
}
