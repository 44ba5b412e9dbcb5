import { LaneBackend, type ComposedScript, type DefiningClient } from '@fairlane/lanes';
import type { JobJson, MinimalJob, RetryOptions } from 'bullmq';
import { isSilence } from '../redis/connections.js';
import { dedupKey } from '../dedup/dedup-key.js';
import { SCRIPT_CODES } from '../errors.js';
import { PLAIN_SCRIPTS, queueScripts, wrappedArgs, type WrappedCommand } from '../scripts/commands.js';
import { CANCEL_FIELD, readActivation } from './activation-reply.js';
import { cancelCall, type CancelReply, type MeantJob } from './cancel-call.js';
import {
  carriedClient,
  outerCallOf,
  removalCall,
  replayCall,
  withCall,
  type Client,
  type Scalar,
  type ActingOperation,
} from './outer-call.js';

/** What the dedup decision needs besides the job. */
export interface DedupTerms {
  readonly id: string;
  readonly account: string;
  readonly digest: string;
  readonly retentionMs: number;
  /** Server time after which the job must not be added any more. */
  readonly deadlineMs: number;
  readonly onConflict: 'reject' | 'first';
  /** Most jobs that may wait in the queue, of all accounts and of this one. */
  readonly maxWaiting: number;
  readonly maxWaitingPerAccount: number;
}

const ACTIVATING = new Set(['moveToActive', 'moveToFinished', 'moveToDelayed']);

/**
 * The lanes' backend, with the dedup memory kept by the scripts that add, remove and replay jobs, and with the ends and
 * detours of an attempt that BullMQ does not know.
 */
export class FairlaneBackend extends LaneBackend {
  #lastPollAtMs = performance.now();
  #connectedAtMs: number | undefined;
  readonly #cancelled = new Set<string>();

  constructor(...args: ConstructorParameters<typeof LaneBackend>) {
    super(...args);
    if (!this.ownsConnection) return;
    for (const connection of [this.connection, this.blockingConnection]) {
      if (connection !== undefined) this.#watch(connection);
    }
  }

  /**
   * A connection that was refused or reset tells that Redis is away. One that was given up for its silence does not:
   * whoever accepts connections and answers nothing has to be noticed.
   */
  #watch(connection: NonNullable<typeof this.blockingConnection>): void {
    let silent = false;
    connection.on('error', (error: unknown) => (silent = isSilence(error)));
    connection.on('close', () => {
      this.#connectedAtMs = silent ? (this.#connectedAtMs ?? performance.now()) : undefined;
      silent = false;
    });
    connection.on('ready', () => (this.#connectedAtMs = performance.now()));
  }

  /** For how long the consume loop could have asked for work and got no further; 0 while Redis is away. */
  get unaskedMs(): number {
    if (this.#connectedAtMs === undefined) return 0;
    return performance.now() - Math.max(this.#lastPollAtMs, this.#connectedAtMs);
  }

  get queueName(): string {
    return this.name;
  }

  protected override scripts(): ReadonlyMap<string, ComposedScript> {
    return queueScripts();
  }

  protected override commandName(name: string): string {
    return `fairlane.${name}:${this.version}`;
  }

  /** Registers every script with a client; a pipeline knows only those that were there when it was made. */
  override defineCommands(client: DefiningClient): void {
    super.defineCommands(client);
    for (const { name, ...script } of Object.values(PLAIN_SCRIPTS)) {
      if (!(name in client)) client.defineCommand(name, script);
    }
  }

  protected override connectionOf(client: Client): ReturnType<LaneBackend['connectionOf']> {
    return super.connectionOf(carriedClient(client));
  }

  override execCommand(
    ...[client, commandName, args]: Parameters<LaneBackend['execCommand']>
  ): ReturnType<LaneBackend['execCommand']> {
    const call = outerCallOf(client, commandName, args, this.redisPrefix);
    if (call !== undefined) {
      const { command, keys, args: outer } = call;
      return super.execCommand(client, command, wrappedArgs(command, args, keys, outer) as typeof args);
    }
    const reply: unknown = super.execCommand(client, commandName, args);
    return ACTIVATING.has(commandName) && reply instanceof Promise
      ? reply.then(async (activation: unknown) => this.#activated(activation))
      : reply;
  }

  /** The stored values stay for people, but for a parent: BullMQ's finish would fail on it after giving up the lock. */
  async #activated(reply: unknown): Promise<unknown> {
    const { id, repaired, isCancelled } = readActivation(reply);
    if (id === undefined) return reply;
    if (isCancelled) this.#cancelled.add(id);
    if (repaired.includes('parent')) await (await this.client).hdel(this.toKey(id), 'parent', 'parentKey');
    return reply;
  }

  /** Whether the job that was handed out had been cancelled before; said once. */
  takeCancelled(id: string): boolean {
    return this.#cancelled.delete(id);
  }

  /** Those of running jobs that a person has cancelled. */
  async cancelledOf(ids: readonly string[]): Promise<string[]> {
    const client = await this.client;
    const notes = await Promise.all(ids.map(async (id) => client.hget(this.toKey(id), CANCEL_FIELD)));
    return ids.filter((_id, at) => notes[at] !== null);
  }

  /** Adds a job unless its key is taken; the reply of `submit.lua`, or the pipeline when `client` is one. */
  submit(client: Client, job: JobJson & { id: string }, terms: DedupTerms): Promise<unknown> {
    const { opts } = job as { opts: { delay?: number; priority?: number } };
    const command: WrappedCommand =
      (opts.delay ?? 0) > 0
        ? 'submit:addDelayedJob'
        : (opts.priority ?? 0) > 0
          ? 'submit:addPrioritizedJob'
          : 'submit:addStandardJob';
    const { id, account, digest, retentionMs, deadlineMs, onConflict } = terms;
    const { bucketKey, field } = dedupKey(this.redisPrefix, id);
    const bounds = [terms.maxWaiting, terms.maxWaitingPerAccount];
    const rules = JSON.stringify([this.name, `${this.redisPrefix}:`, onConflict === 'first', ...bounds]);
    const args = [field, id, account, digest, retentionMs, deadlineMs, rules];
    return this.addJobToTransaction(withCall(client, { command, keys: [bucketKey], args }), job, job.id);
  }

  /** Removes a dead letter and frees its key. False when the run that died then is dead no more, or removed. */
  async removeDead(id: string, diedAtMs: number): Promise<boolean> {
    const client = withCall(await this.client, removalCall(this.redisPrefix, id, diedAtMs));
    const reply = Number(await this.execCommand(client, 'removeJob', this.removeArgs(id, true)));
    if (reply === SCRIPT_CODES.notThatDeath) return false;
    if (reply >= 0) return reply === 1;
    throw this.finishedErrors({ code: reply, jobId: id, command: 'removeJob' });
  }

  /** Runs a dead job again. False when the run that died then is dead no more, or removed. */
  async replayDead(id: string, diedAtMs: number, operation?: ActingOperation): Promise<boolean> {
    const client = withCall(await this.client, replayCall(this.redisPrefix, id, diedAtMs, operation));
    const { events, wait, meta, active, marker, prioritized, pc } = this.keys;
    const sets = [this.toKey(id), events, this.toKey('failed'), wait, meta, active, marker, prioritized, pc];
    const call = [...(sets as string[]), id, 'LPUSH', 'failedReason', 'failed', '1', '1'];
    const reply: unknown = await this.execCommand(client, 'reprocessJob', call);
    if (reply === SCRIPT_CODES.notThatDeath) return false;
    if (reply === 1) return true;
    throw this.finishedErrors({ code: Number(reply), jobId: id, command: 'reprocessJob', state: 'failed' });
  }

  /** A replay is a new run: its attempts are counted from 1 again, whoever asks for it. */
  override async retryFinishedJob<T, R, N extends string>(
    job: MinimalJob<T, R, N>,
    state: 'failed' | 'completed',
    opts: RetryOptions = {},
  ): Promise<void> {
    const fresh = { ...opts, resetAttemptsMade: true, resetAttemptsStarted: true };
    return super.retryFinishedJob(job, state, fresh);
  }

  /** Ends a run that a person has cancelled; it is kept like a completed one, in a set of its own. */
  async moveToCancelled<T, R, N extends string>(
    job: MinimalJob<T, R, N> & { id: string },
    token: string,
    fetchNext: boolean,
    fields: Record<string, Scalar>,
  ): Promise<Awaited<ReturnType<LaneBackend['moveToFinished']>>> {
    const finish = this.moveToFailedArgs(job, 'cancelled', false, token, fetchNext, fields);
    const at = this.moveToFinishedKeys.length;
    const args = [...finish];
    args[FINISHED_SET_KEY] = this.toKey('cancelled');
    args[at + PROPERTY_ARG] = 'flCancelled';
    args[at + TARGET_ARG] = 'cancelled';
    return this.settled(job.id, token, async () => this.moveToFinished(job.id, args));
  }

  /** Puts a running job back to the front of its lane, no attempt spent, and closes its gate in the same step. */
  async putBackThrottled(
    id: string,
    token: string,
    delayMs: number,
    fields: Record<string, Scalar>,
  ): Promise<void> {
    const flat = JSON.stringify(Object.entries(fields).flatMap(([field, value]) => [field, String(value)]));
    const args = [delayMs, flat];
    const client = withCall(await this.client, { command: 'defer:moveJobFromActiveToWait', keys: [], args });
    const { active, wait, stalled, paused, meta, limiter, prioritized, marker, events } = this.keys;
    const keys = [active, wait, stalled, paused, meta, limiter, prioritized, marker, events] as string[];
    await this.settled(id, token, async () => {
      const call = [...keys, id, token, this.toKey(id)];
      const reply: unknown = await this.execCommand(client, 'moveJobFromActiveToWait', call);
      if (typeof reply === 'number' && reply >= 0) return;
      throw this.finishedErrors({ code: Number(reply), jobId: id, command: 'putBackThrottled' });
    });
  }

  /** The handler of a job that is another worker's by now has settled: it no longer counts as in flight. */
  async abandon(id: string, token: string): Promise<void> {
    await this.releaseClaim(id, token);
  }

  /** Everything about a job id, as `lua/inspect.lua` replies it. */
  async inspect(id: string, args: readonly string[]): Promise<unknown> {
    const { bucketKey, field } = dedupKey(this.redisPrefix, id);
    const call = [bucketKey, field, id, `${this.redisPrefix}:`, ...args];
    return super.execCommand(await this.client, 'inspect', call);
  }

  /**
   * Cancels a job, in whichever queue it is.
   *
   * @param queues to look in when the dedup memory does not know it.
   * @param meant the job that a bulk operation has looked at; that one alone, and only while the operation runs.
   * @returns the reply of `lua/cancel.lua`
   */
  async cancel(id: string, queues: readonly string[], meant?: MeantJob): Promise<CancelReply> {
    const call = cancelCall(this.redisPrefix, id, queues, meant);
    return (await super.execCommand(await this.client, 'cancel', call)) as CancelReply;
  }

  override async moveToActive(token: string, name?: string): Promise<unknown[]> {
    this.#lastPollAtMs = performance.now();
    return super.moveToActive(token, name);
  }

  override async waitForJob(blockTimeout: number) {
    this.#lastPollAtMs = performance.now();
    return super.waitForJob(blockTimeout);
  }

  /** Fields of ours on a job's hash. */
  async readRunFields<F extends string>(id: string, fields: readonly F[]): Promise<Record<F, string | null>> {
    const client = await this.client;
    const values = await client.hmget(this.toKey(id), ...fields);
    return Object.fromEntries(fields.map((field, at) => [field, values[at] ?? null])) as Record<
      F,
      string | null
    >;
  }
}

/** Place of the set that `moveToFinished` adds to; the lanes check at start that BullMQ's commands have not changed. */
const FINISHED_SET_KEY = 10;
/** After the keys: the field that is written, and the name of the end. */
const PROPERTY_ARG = 2;
const TARGET_ARG = 4;
