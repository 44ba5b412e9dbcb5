import type { Blobs } from '@fairlane/blobs';
import {
  createLanes,
  LaneError,
  type AccountSummary,
  type Limits,
  type Page,
  type Window,
} from '@fairlane/lanes';
import type { Catalogue } from '@fairlane/sdk';
import { openBackends } from '../backend/open-backends.js';
import { connectProducer, type RedisSettings } from '../redis/connections.js';
import { DEFAULT_PREFIX } from '../defaults.js';
import { defaultLogger, type QueueLogger } from '../logging.js';
import { locatePayload, type StoredPayload } from '../payloads/stored-payload.js';
import { RedisSessions } from '../redis/redis-session.js';
import { toAccountView, type AccountView } from '../views/account-view.js';
import type { JobView } from '../views/job-view.js';
import { readQueueCounts, type QueueCounts } from '../views/queue-counts.js';
import { createCancelCounter, type OnCancelled } from '../statistics/cancel-counter.js';
import { JobViewReader, type JobPlace } from '../views/read-job-view.js';
import { readWorkers } from '../workers/read-workers.js';
import { reclaim } from '../workers/reclaim.js';
import { readSurroundings, type Surroundings } from '../workers/surroundings.js';
import type { WorkerView } from '../workers/worker-view.js';
import { BulkCancels } from './bulk/bulk-cancels.js';
import type {
  BulkCancelOutcome,
  BulkCancelRequest,
  BulkFilter,
  BulkOperation,
  BulkPreview,
  BulkReplayOutcome,
  BulkReplayRequest,
  CancelFilter,
  CancelMatch,
} from './bulk/bulk-operation.js';
import { BulkReplays } from './bulk/bulk-replays.js';
import { BulkStore } from './bulk/bulk-store.js';
import {
  DeadLetters,
  type EffectDesk,
  type EffectVerdict,
  type PurgeOutcome,
  type ReplayOutcome,
  type ResolveOutcome,
} from './dead-letters.js';
import type { DeadCount } from './count-dead-letters.js';
import { DeadCodes } from './dead-codes.js';
import type { DeadFilter } from './dead-rows.js';
import type { DeadLetter, DeadLetterFilter } from './list-dead-letters.js';
import { listJobs, type JobFilter } from './list-jobs.js';

export interface OperationsOptions {
  readonly redis: RedisSettings;
  readonly catalogue: Catalogue;
  /** Default `{fairlane}`. */
  readonly prefix?: string;
  /** A call that Redis has not answered by then fails. Default 2,000. */
  readonly timeoutMs?: number;
  /** Fills `JobView.effects` and takes a person's word on one; the ledger fits. */
  readonly effects?: EffectDesk;
  /** Where large payloads lie; stays the caller's to close. */
  readonly blobs?: Blobs | undefined;
  readonly logger?: QueueLogger;
  /** Told of each waiting job that is cancelled; running ones end at their worker, which counts them. */
  readonly onCancelled?: OnCancelled;
}

export type CancelOutcome =
  | 'cancelled'
  /** It runs: its signal is aborted, and it settles soon. */
  | 'cancelling'
  | 'already_finished'
  | 'not_found';

/** What people do about accounts and jobs. Every call ends in time with an answer or UnavailableError. */
export interface Operations {
  /** @throws LaneError `invalid_limits`, `invalid_lane`, `undeclared_group` */
  setLimits(account: string, group: string, limits: Limits): Promise<void>;
  /** Back to the defaults of the group, or to no limit. */
  removeLimits(account: string, group: string): Promise<void>;
  /** @throws LaneError `invalid_weight`, `invalid_windows` */
  setAccount(account: string, settings: { weight?: number; windows?: Window[] | null }): Promise<void>;
  /** Holds all jobs of an account; running ones go on. False when it was paused already. */
  pause(account: string, by: string): Promise<boolean>;
  resume(account: string, by: string): Promise<boolean>;
  account(account: string): Promise<AccountView>;
  /** What the jobs of each of these accounts wait for besides its own limits: queues, workers, people. */
  surroundings<const V extends readonly AccountView[]>(
    views: V,
  ): Promise<{ readonly [K in keyof V]: Surroundings }>;
  /** Accounts with a backlog, the longest waiting first; with `search` those whose id begins with it, by id. */
  accounts(options?: { search?: string; limit?: number; cursor?: string }): Promise<Page<AccountSummary>>;
  /** Jobs, newest first; where no account or tag is given, waiting jobs come account by account. */
  jobs(filter?: JobFilter): Promise<Page<JobView>>;
  /** A job, also one that others have put into a queue; their ids may be those of jobs of several queues. */
  job(id: string, where?: JobPlace): Promise<JobView | undefined>;
  /** What a job was handed in with, or where that lies. */
  payload(id: string, queue?: string): Promise<StoredPayload | undefined>;
  queueCounts(queue: string): Promise<QueueCounts>;
  /** Those that have beaten within the last hour and did not stop in good order; lost and hung ones first. */
  workers(): Promise<WorkerView[]>;
  /** Ends a job's run without success on purpose. It is kept like a completed one. */
  cancel(id: string): Promise<CancelOutcome>;
  /** Takes a running job from its worker, for another to run it. False when it does not run. */
  reclaim(id: string): Promise<boolean>;
  /** Jobs that ended without success, the latest first. A page may be shorter than its limit. */
  deadLetters(filter?: DeadLetterFilter): Promise<Page<DeadLetter>>;
  /** How many died of what, over all that match. Shared by whoever asks within some seconds, longer where it takes long. */
  deadCodes(filter?: DeadFilter): Promise<DeadCount>;
  /** A new run of a dead job: fresh attempts, finished effects kept. */
  replay(id: string): Promise<ReplayOutcome>;
  /** Removes a dead letter and frees its key; its effects stay in the ledger. */
  purge(id: string): Promise<PurgeOutcome>;
  /** A person's word on an effect whose outcome nobody could tell; the job that died of it goes on. */
  resolveEffect(id: string, name: string, verdict: EffectVerdict): Promise<ResolveOutcome>;
  /** What a bulk replay of a filter would do. Takes as many calls as there are pages of dead letters. */
  previewReplay(filter: BulkFilter): Promise<BulkPreview>;
  /** Registers a bulk replay, which a `createBulkRunner` of any process carries out. */
  replayAll(request: BulkReplayRequest): Promise<BulkReplayOutcome>;
  /** What a bulk cancel of a filter would do. Takes as many calls as there are pages of jobs. */
  previewCancel(filter: CancelFilter): Promise<CancelMatch>;
  /** Registers a bulk cancel, which a `createBulkRunner` of any process carries out. */
  cancelAll(request: BulkCancelRequest): Promise<BulkCancelOutcome>;
  /** Those that have not ended, the newest first. */
  runningOperations(): Promise<BulkOperation[]>;
  /** Until a week after its end. */
  operation(id: string): Promise<BulkOperation | undefined>;
  /** Nothing is changed after it; what has been stays so. `wasRunning` false when it had ended before. */
  cancelOperation(id: string): Promise<{ operation: BulkOperation; wasRunning: boolean } | undefined>;
  close(): Promise<void>;
}

/** Opens the operations of a prefix on a connection of their own. */
export function createOperations(options: OperationsOptions): Operations {
  const { catalogue, prefix = DEFAULT_PREFIX } = options;
  const logger = options.logger ?? defaultLogger;
  const client = connectProducer(options.redis, logger);
  const sessions = new RedisSessions(client, options.timeoutMs ?? 2_000);
  const backends = openBackends(client, prefix, catalogue);
  const { backendOf, queues, first } = backends;
  const cancelCounter = createCancelCounter(client, backends, { ...options, prefix, logger });
  const views = new JobViewReader(first, queues, options.effects);
  const deadLetters = new DeadLetters(backends, views, options);
  const deadCodes = new DeadCodes(sessions, backends);
  const bulkStore = new BulkStore(first, prefix);
  const bulkReplays = new BulkReplays(sessions, backends, options.effects, bulkStore);
  const lanes = createLanes({ connection: client, prefix });

  const bulkCancels = new BulkCancels(client, sessions, lanes, queues, bulkStore);

  return {
    async setLimits(account, group, limits) {
      checkDeclared(catalogue, group);
      await sessions.run(() => lanes.setLimits(account, group, limits));
    },
    async removeLimits(account, group) {
      checkDeclared(catalogue, group);
      await sessions.run(() => lanes.removeLimits(account, group));
    },
    setAccount: (account, settings) => sessions.run(() => lanes.setAccount(account, settings)),
    pause: (account, by) => sessions.run(() => lanes.pause(account, by)),
    resume: (account, by) => sessions.run(() => lanes.resume(account, by)),
    account: (account) => sessions.run(async () => toAccountView(await lanes.account(account))),
    surroundings: (accounts) =>
      sessions.run(() =>
        readSurroundings(accounts, {
          client,
          prefix,
          queues,
          deadCodes: (account, limit) => deadLetters.codesOf(account, limit),
        }),
      ),
    workers: () => sessions.run(() => readWorkers(client, prefix)),
    accounts: (filter) => sessions.run(() => lanes.accounts(filter)),
    jobs: (filter = {}) => sessions.run(() => listJobs(lanes, views, filter)),
    job: (id, where) => sessions.run(() => views.read(id, where)),
    payload: (id, queue) =>
      sessions.run(async () => {
        const data = await views.readData(id, queue);
        return data === undefined ? undefined : locatePayload(data);
      }),
    queueCounts: (queue) => sessions.run(() => readQueueCounts(lanes, backendOf(queue).queueName)),
    async cancel(id) {
      const reply = await sessions.run(() => first.cancel(id, queues));
      if (typeof reply === 'string') return reply as CancelOutcome;
      const [outcome, queue, name] = reply;
      cancelCounter.count({ queue, name });
      return outcome;
    },
    reclaim: (id) =>
      sessions.run(async () => {
        const job = await views.read(id);
        return job?.state === 'active' && reclaim(client, `${prefix}:${job.queue}:`, id);
      }),
    deadLetters: (filter = {}) => sessions.run(() => deadLetters.list(filter)),
    deadCodes: (filter = {}) => deadCodes.count(filter),
    replay: (id) => sessions.run(() => deadLetters.replay(id)),
    purge: (id) => sessions.run(() => deadLetters.purge(id)),
    resolveEffect: (id, name, verdict) => sessions.run(() => deadLetters.resolveEffect(id, name, verdict)),
    previewReplay: (filter) => bulkReplays.preview(filter),
    replayAll: (request) => bulkReplays.start(request),
    previewCancel: (filter) => bulkCancels.preview(filter),
    cancelAll: (request) => bulkCancels.start(request),
    runningOperations: () => sessions.run(() => bulkStore.readRunning()),
    operation: (id) => sessions.run(() => bulkStore.read(id)),
    cancelOperation: (id) => sessions.run(() => bulkStore.cancel(id)),
    async close() {
      await cancelCounter.close();
      await sessions.close();
    },
  };
}

function checkDeclared({ limitGroups }: Catalogue, group: string): void {
  if (Object.hasOwn(limitGroups, group)) return;
  const declared = Object.keys(limitGroups).join(', ');
  throw new LaneError('undeclared_group', `The group ${group} is not declared; declared are ${declared}.`);
}
