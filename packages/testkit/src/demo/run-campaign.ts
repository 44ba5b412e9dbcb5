import { setTimeout as delay } from 'node:timers/promises';

import type { Deployment, DeploymentDescription } from '../deployment/deployment.js';
import { connectSandbox } from '../sandbox/index.js';
import type { ApiClient } from './api-client.js';
import type { CampaignSource } from './campaign-source.js';
import { enqueueAll } from './enqueue.js';
import { killWorkers } from './kill-workers.js';
import { createProgress } from './progress.js';
import { RunRecord } from './run-record.js';
import { summarize, type Summary } from './summary.js';
import { watchJobs } from './watch-jobs.js';

export interface CampaignRun {
  api: ApiClient;
  campaign: CampaignSource;
  description: DeploymentDescription;
  seed: number;
  kills: number;
  /** Needed for kills only. */
  deployment?: Deployment;
  /** Whether Fairlane was told the platform's limits. */
  limited: boolean;
  signal: AbortSignal;
}

const PROGRESS_MS = 500;

/** Posts a campaign, waits until every job of it has ended, and holds the platform's record against it. */
export async function runCampaign(
  run: CampaignRun,
): Promise<{ summary: Summary; rejections: ReadonlyMap<string, number> }> {
  const { api, campaign, description, signal } = run;
  const sandbox = connectSandbox(description.sandbox);
  const before = await sandbox.report();
  const accounts = await sandbox.accounts();
  const blind = new Set(accounts.filter(({ kind }) => kind === 'blind').map(({ account }) => account));
  const record = new RunRecord();
  let requests = 0;

  const over = new AbortController();
  const whileRunning = AbortSignal.any([over.signal, signal]);
  const progress = createProgress(campaign.jobs);
  const showProgress = async () => {
    while (!whileRunning.aborted) {
      const report = await sandbox.report();
      requests = report.requests - before.requests;
      progress.update({
        enqueued: record.accepted + record.duplicates,
        finished: record.finishedCount,
        applied: report.applied - before.applied,
      });
      await delay(PROGRESS_MS, undefined, { signal: whileRunning }).catch(() => undefined);
    }
  };
  const enqueue = async () => {
    await enqueueAll(api, campaign.lines(), { onAnswer: (answer) => record.answered(answer), signal });
    record.enqueued = true;
  };
  const started = performance.now();
  const untilAllEnded = async () => {
    await Promise.all([enqueue(), watchJobs(api, record, whileRunning)]);
    const elapsedMs = performance.now() - started;
    over.abort();
    return elapsedMs;
  };
  const kill = async () =>
    run.deployment === undefined
      ? 0
      : killWorkers({
          deployment: run.deployment,
          api,
          kills: run.kills,
          progress: () => requests / campaign.jobs,
          signal: whileRunning,
        });

  try {
    const [elapsedMs, workersKilled] = await Promise.all([untilAllEnded(), kill(), showProgress()]);
    const summary = summarize({
      record,
      jobs: campaign.jobs,
      accounts: campaign.accounts.size,
      workers: description.workers.length,
      seed: run.seed,
      workersKilled,
      elapsedMs,
      before,
      after: await sandbox.report({ full: true }),
      blind,
      limited: run.limited,
    });
    return { summary, rejections: record.rejections };
  } finally {
    over.abort();
    progress.stop();
  }
}
