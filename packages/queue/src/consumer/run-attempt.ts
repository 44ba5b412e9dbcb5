import type { Blobs } from '@fairlane/blobs';
import { classifyFailure, identify, type HandlerContext } from '@fairlane/sdk';
import { OpenEffects } from '@fairlane/sdk/internal';
import { setTimeout as delay } from 'node:timers/promises';
import type { FairlaneBackend } from '../backend/fairlane-backend.js';
import type { FairlaneJob } from '../jobs/fairlane-job.js';
import type { Settlement } from '../jobs/settlement.js';
import { isClaimCheck } from '../payloads/claim-check.js';
import { fetchData } from '../payloads/fetch-data.js';
import { moveLargeResult } from '../payloads/move-large-result.js';
import { bindLogger, describeError, type QueueLogger } from '../logging.js';
import { AttemptFailed } from '../jobs/attempt-failed.js';
import type { EffectRunner } from './effects.js';
import type { ConsumerHooks } from './hooks.js';
import type { Lease } from './lease.js';
import { readJob, type ReadJob } from './read-job.js';
import { settle } from './settle.js';
import { StopSignal } from './stop-signal.js';

/** How long a handler may take to notice its abort before the attempt is settled without it. */
const ABORT_GRACE_MS = 5_000;
const SHUTDOWN_GRACE_MS = 1_000;
/** Pause before a job that this worker cannot run is offered again; another worker may take it then. */
const NO_HANDLER_DELAY_MS = 5_000;
const MAX_PROGRESS_BYTES = 16 * 1024;

export interface AttemptDependencies {
  readonly implementations: Parameters<typeof readJob>[1];
  readonly backend: FairlaneBackend;
  readonly effects: EffectRunner;
  readonly logger: QueueLogger;
  readonly hooks: ConsumerHooks;
  /** Where large payloads and results lie. */
  readonly blobs: Blobs | undefined;
  readonly shutdown: AbortSignal;
  readonly random: () => number;
}

type Runnable = Extract<ReadJob, { kind: 'ok' }>;

/**
 * One attempt of a job: read it, run its handler within its time and lease, decide what follows.
 *
 * @returns the handler's result.
 * @throws AttemptFailed, and nothing else.
 */
export async function runAttempt(
  job: FairlaneJob,
  lease: Lease,
  cancelled: AbortSignal,
  deps: AttemptDependencies,
): Promise<unknown> {
  // It was cancelled while a worker ran it that has been lost since.
  if (cancelled.aborted) throw new AttemptFailed({ kind: 'cancel' });
  const stored = await withPayload(job, lease, cancelled, deps);
  const read = readJob(stored, deps.implementations);
  if (read.kind === 'no_handler') throw new AttemptFailed(holdForAnotherWorker(deps));
  if (read.kind !== 'ok') throw buried(job, read.kind, read.reason);

  const { contract } = read.implementation;
  const startedAt = performance.now();
  const stop = new StopSignal({ timeoutMs: contract.timeoutMs, lease, shutdown: deps.shutdown, cancelled });
  deps.hooks.onStarted?.({ queue: job.queueName, name: job.name, ...waited(job) });
  try {
    const result = await runHandler(job, read, lease, stop, deps);
    const { blobs, logger } = deps;
    return blobs ? await moveLargeResult(result, { jobId: read.info.id, blobs, logger }) : result;
  } catch (error) {
    throw new AttemptFailed(await decide(error, job, read, stop, deps), error);
  } finally {
    job.processingMs = performance.now() - startedAt;
    stop.end();
  }
}

type StoredJob = Parameters<typeof readJob>[0];

/**
 * The job with its payload, fetched where it lies in the blob store. A worker without a store leaves it to another.
 *
 * @throws AttemptFailed
 */
async function withPayload(
  job: FairlaneJob,
  lease: Lease,
  cancelled: AbortSignal,
  deps: AttemptDependencies,
): Promise<StoredJob> {
  const implementation = deps.implementations.get(job.name);
  if (!isClaimCheck(job.data) || implementation === undefined) return job;
  if (deps.blobs === undefined) throw new AttemptFailed(holdForAnotherWorker(deps));
  const { timeoutMs } = implementation.contract;
  const stop = new StopSignal({ timeoutMs, lease, shutdown: deps.shutdown, cancelled });
  try {
    const fetched = await fetchData(job.data, deps.blobs, stop.signal);
    if (fetched.kind === 'unreadable') throw buried(job, fetched.kind, fetched.reason);
    const { id, name, opts, queueName } = job;
    return { name, opts, queueName, data: fetched.envelope, ...(id === undefined ? {} : { id }) };
  } catch (error) {
    if (error instanceof AttemptFailed) throw error;
    throw new AttemptFailed(await decide(error, job, { implementation }, stop, deps), error);
  } finally {
    stop.end();
  }
}

async function runHandler(
  job: FairlaneJob,
  { implementation, payload, info }: Runnable,
  lease: Lease,
  stop: StopSignal,
  { effects, logger }: AttemptDependencies,
): Promise<unknown> {
  const { signal } = stop;
  const attempt = job.attemptsMade + 1;
  const log = bindLogger(logger, { jobId: info.id, job: info.name, account: info.account, attempt });
  let over = false;
  const openEffects = new OpenEffects();
  const effect = effects.forAttempt({
    job: info,
    attempt,
    signal,
    isCurrent: () => !over && !signal.aborted && lease.isHeld,
    timeoutMs: implementation.contract.timeoutMs,
    get inputHash() {
      return identify(implementation.contract, payload).payloadDigest;
    },
    logger: log,
  });
  const context: HandlerContext = {
    job: info,
    attempt,
    signal,
    logger: log,
    progress: async (value) => {
      if (!over) await recordProgress(job, value, log);
    },
    effect: (name, options) => openEffects.track(effect(name, options)),
  };
  try {
    // In a then, so that a handler which is no async function and throws rejects too.
    const handler = Promise.resolve().then(() => implementation.run(payload, context));
    const running = openEffects.after(handler);
    return await Promise.race([running, afterGrace(stop, running)]);
  } finally {
    over = true;
  }
}

/** Rejects when the handler has not settled a while after it was told to stop: its slot is needed. */
async function afterGrace(stop: StopSignal, running: Promise<unknown>): Promise<never> {
  running.catch(() => undefined);
  const { signal } = stop;
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await delay(stop.cause === 'shutdown' ? SHUTDOWN_GRACE_MS : ABORT_GRACE_MS, undefined, { ref: false });
  throw signal.reason;
}

async function decide(
  error: unknown,
  job: FairlaneJob,
  { implementation }: Pick<Runnable, 'implementation'>,
  stop: StopSignal,
  { backend, random }: AttemptDependencies,
): Promise<Settlement> {
  const nowMs = Date.now();
  const classification = classifyFailure(implementation, error, nowMs);
  const { contract } = implementation;
  const deferredSinceMs =
    classification.class === 'throttled' ? await readDeferredSince(backend, job) : undefined;
  return settle({
    classification,
    stoppedBy: stop.cause,
    policy: contract.retry,
    attempt: job.attemptsMade + 1,
    deferrals: Math.max(1, job.attemptsStarted - job.attemptsMade),
    deferredSinceMs,
    timeoutMs: contract.timeoutMs,
    nowMs,
    random,
  });
}

async function readDeferredSince(backend: FairlaneBackend, job: FairlaneJob): Promise<number | undefined> {
  const { flDeferredSince } = await backend.readRunFields(job.id ?? '', ['flDeferredSince']);
  return Number(flDeferredSince ?? '') || undefined;
}

function holdForAnotherWorker({ random }: AttemptDependencies): Settlement {
  const delayMs = Math.ceil(NO_HANDLER_DELAY_MS * (0.5 + random() / 2));
  return { kind: 'defer', reason: 'no_handler', delayMs, sinceMs: undefined };
}

function buried(job: FairlaneJob, code: 'unreadable' | 'invalid_payload', message: string): AttemptFailed {
  const at = new Date().toISOString();
  return new AttemptFailed({
    kind: 'dead',
    error: { code, class: 'permanent', message, at, attempt: job.attemptsMade + 1 },
  });
}

/** Progress is for people: a failure to store it is no failure of the job. */
async function recordProgress(job: FairlaneJob, value: number | object, logger: QueueLogger): Promise<void> {
  try {
    const text = JSON.stringify(value);
    if (text === undefined || text.length > MAX_PROGRESS_BYTES) throw new RangeError('progress is too large');
    await job.updateProgress(JSON.parse(text) as number | object);
  } catch (error) {
    logger.warn(describeError(error), 'progress was not stored');
  }
}

/** Since the job was due. A later attempt was due after its backoff, a replay when somebody asked for it. */
function waited(job: FairlaneJob): { readonly waitedMs?: number } {
  const { timestamp, delay: delayMs, processedOn, attemptsStarted, stalledCounter, stacktrace } = job;
  if (attemptsStarted > 1 || stalledCounter > 0 || (stacktrace?.length ?? 0) > 0) return {};
  return { waitedMs: Math.max(0, (processedOn ?? timestamp) - timestamp - (delayMs || 0)) };
}
