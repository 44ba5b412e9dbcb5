import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { createRunDir } from '../command/state-dir.js';
import { createApiClient, type ApiClient, type JobView } from '../demo/api-client.js';
import { openCampaign, type CampaignFile } from '../demo/campaign-source.js';
import { enqueueAll } from '../demo/enqueue.js';
import { RunRecord } from '../demo/run-record.js';
import { watchJobs } from '../demo/watch-jobs.js';
import { campaignAccounts, type AccountView, type Sandbox } from '../sandbox/index.js';
import { planFaults, type FaultKind } from './fault-plan.js';
import { strikeAll } from './faults.js';
import { recordHistory, type Transition } from './history.js';
import type { CrashOptions } from './options.js';
import type { GateLimits } from './rules.js';
import { LEASE_MS, startStage, type Stage } from './stage.js';
import { judge, type Verdict } from './verdict.js';

export interface CrashReport extends CrashOptions, Verdict {
  readonly accepted: number;
  /** Answered as duplicates, since the answer to the first try was lost on the way. */
  readonly duplicates: number;
  readonly requests: number;
  readonly struck: Record<FaultKind, number>;
  readonly elapsedMs: number;
}

/** At most so many jobs of an account with workers, so that R4 has something to bound. */
const MAX_IN_FLIGHT = 8;
const POLL_MS = 1_000;
/** The API answers 503 while Redis is away, which is what these runs are about. */
const PATIENCE_MS = 90_000;

/** Runs a campaign through every process while all of it is struck again and again, and judges what came of it. */
export async function runCrashes(options: CrashOptions, signal: AbortSignal): Promise<CrashReport> {
  const { id, dir } = await createRunDir('crash');
  const over = new AbortController();
  const prefix = `{crash-${id}}`;
  const stage = await startStage({
    ...options,
    dir,
    prefix,
    signal,
    onCasualty: (reason) => over.abort(reason),
  });
  const history = recordHistory({ redisUrl: stage.redis.url, prefix, queue: 'outreach' });
  try {
    const campaign = await openCampaign(options, join(dir, 'campaign.ndjson'));
    const report = await runCampaign({ options, stage, campaign, over, history, signal });
    // The folder of a run that broke a rule has the logs that one wants to read.
    if (report.violations.length === 0) await rm(dir, { recursive: true, force: true });
    return report;
  } finally {
    over.abort();
    await history.stop().catch(() => undefined);
    await stage.stop();
  }
}

interface Run {
  options: CrashOptions;
  stage: Stage;
  campaign: CampaignFile;
  over: AbortController;
  history: { stop(): Promise<readonly Transition[]> };
  signal: AbortSignal;
}

async function runCampaign(run: Run): Promise<CrashReport> {
  const { options, stage, campaign, history } = run;
  const { deployment, sandbox } = stage;
  const signal = AbortSignal.any([run.signal, run.over.signal]);
  const { api: url, tokens } = deployment.describe();
  const client = createApiClient({ url, tokens, signal, patienceMs: PATIENCE_MS });
  const views = new Map<string, JobView>();
  const api = {
    ...client,
    async job(id: string) {
      const view = await client.job(id);
      if (view !== undefined) views.set(id, view);
      return view;
    },
  };
  const accounts = await createAccounts(sandbox, options);
  const gates = await setLimits(api, accounts, campaign);

  const record = new RunRecord();
  let requests = 0;
  const workOver = new AbortController();
  const started = performance.now();
  const work = async () => {
    const enqueue = async () => {
      await enqueueAll(api, campaign.lines(), { onAnswer: (answer) => record.answered(answer), signal });
      record.enqueued = true;
    };
    await Promise.all([enqueue(), watchJobs(api, record, signal)]);
    workOver.abort();
    return performance.now() - started;
  };
  const count = async () => {
    while (!workOver.signal.aborted && !signal.aborted) {
      ({ requests } = await sandbox.report());
      await delay(POLL_MS, undefined, { signal: workOver.signal }).catch(() => undefined);
    }
  };
  const { kills, restarts, cuts, stops, readOnly, full, seed } = options;
  const plan = planFaults({ kill: kills, restart: restarts, cut: cuts, stop: stops, readOnly, full }, seed);
  const strikes = strikeAll(
    plan,
    { ...stage, leaseMs: LEASE_MS },
    {
      progress: () => requests / options.jobs,
      signal: AbortSignal.any([workOver.signal, signal]),
    },
  );
  const [elapsedMs, struck] = await Promise.all([work(), strikes, count()]);
  api.close();

  const kinds = new Map(accounts.map(({ account, kind }) => [account, kind]));
  const report = await sandbox.report({ full: true });
  const verdict = judge({
    views,
    history: await history.stop(),
    report,
    kindOf: (account) => kinds.get(account) ?? 'keys',
    limitsOf: (account) => gates.get(account),
    leaseMs: LEASE_MS,
  });
  return {
    ...options,
    ...verdict,
    accepted: record.accepted,
    duplicates: record.duplicates,
    requests: report.requests,
    struck,
    elapsedMs: Math.round(elapsedMs),
  };
}

async function createAccounts(sandbox: Sandbox, options: CrashOptions): Promise<AccountView[]> {
  const { accounts, jobs, seconds } = options;
  await sandbox.setAccounts(
    ...campaignAccounts({ accounts, jobs, seconds, kinds: 'mixed', limits: true, faults: true }),
  );
  return sandbox.accounts();
}

/** Each account of a generated campaign keeps to one channel, so it has one gate. */
async function setLimits(
  api: ApiClient,
  accounts: readonly AccountView[],
  campaign: CampaignFile,
): Promise<Map<string, GateLimits>> {
  const gates = new Map<string, GateLimits>();
  for (const { account, limit } of accounts) {
    const [channel, second] = campaign.accounts.get(account)?.channels ?? [];
    if (limit === null || channel === undefined) continue;
    if (second !== undefined) throw new Error(`${account} uses more than one channel`);
    const limits = { ...limit, maxInFlight: MAX_IN_FLIGHT };
    await api.setLimit(account, channel, limits);
    gates.set(account, { gate: `${account}/${channel}`, rate: limit, maxInFlight: MAX_IN_FLIGHT });
  }
  return gates;
}
