import { LaneBackend, type ComposedScript, type DefiningClient, type FinishedState } from '@fairlane/lanes';
import type { IRedisTransaction, JobJson, MinimalJob, RedisClient, RetryOptions } from 'bullmq';
import { dedupKey } from '../dedup/dedup-key.js';
import { GenerationMismatchError, SCRIPT_CODES } from '../errors.js';
import { PLAIN_SCRIPTS, queueScripts, wrappedArgs, type WrappedCommand } from '../scripts/commands.js';
import { readActivation } from './activation-reply.js';

type Client = RedisClient | IRedisTransaction;
type Scalar = string | number;

/** What the dedup decision needs besides the job. */
export interface DedupTerms {
  readonly id: string;
  readonly account: string;
  readonly digest: string;
  readonly retentionMs: number;
  /** Server time after which the job must not be added any more. */
  readonly deadlineMs: number;
  readonly onConflict: 'reject' | 'first';
}

interface OuterCall {
  readonly command: WrappedCommand;
  readonly keys: readonly string[];
  readonly args: readonly Scalar[];
}

/** An outer call travels on the client that BullMQ hands through to `execCommand`, so that its own methods stay in use. */
const OUTER = Symbol('outer call');

/** States of a dedup entry whose job is gone, see `read-entry.lua`. */
const ENDS: Readonly<Record<FinishedState, string>> = { completed: 'C', cancelled: 'X', failed: 'P' };

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
    // A blocked read that hangs is renewed by BullMQ, but not while the connection is away.
    for (const connection of [this.connection, this.blockingConnection]) {
      connection?.on('close', () => (this.#connectedAtMs = undefined));
      connection?.on('ready', () => (this.#connectedAtMs = performance.now()));
    }
  }

  /** For how long the consume loop could have asked for work and did not; 0 while Redis is away. */
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
    for (const [name, script] of Object.entries(PLAIN_SCRIPTS)) {
      if (!(this.commandName(name) in client)) client.defineCommand(this.commandName(name), script);
    }
  }

  override execCommand(
    ...[client, commandName, args]: Parameters<LaneBackend['execCommand']>
  ): ReturnType<LaneBackend['execCommand']> {
    const call = this.#outerCall(client, commandName, args);
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
    const notes = await Promise.all(ids.map(async (id) => client.hget(this.toKey(id), 'flCancel')));
    return ids.filter((_id, at) => notes[at] !== null);
  }

  /** Adds a job unless its key is taken; the reply of `submit.lua`, or the pipeline when `client` is one. */
  async submit(client: Client, job: JobJson & { id: string }, terms: DedupTerms): Promise<unknown> {
    const { opts } = job as { opts: { delay?: number; priority?: number } };
    const command: WrappedCommand =
      (opts.delay ?? 0) > 0
        ? 'submit:addDelayedJob'
        : (opts.priority ?? 0) > 0
          ? 'submit:addPrioritizedJob'
          : 'submit:addStandardJob';
    const { id, account, digest, retentionMs, deadlineMs, onConflict } = terms;
    const { bucketKey, field } = dedupKey(this.redisPrefix, id);
    const first = onConflict === 'first' ? '1' : '0';
    const base = `${this.redisPrefix}:`;
    const args = [field, id, account, digest, this.name, base, retentionMs, deadlineMs, first];
    return this.addJobToTransaction(withCall(client, { command, keys: [bucketKey], args }), job, job.id);
  }

  /**
   * Removes a job that is not active and frees its key, unless it completed.
   *
   * @param generation the only one of the key to remove; left out: whichever is there.
   * @returns false when the job is active.
   * @throws GenerationMismatchError when another generation was asked for.
   */
  async removeRun(id: string, generation?: number): Promise<boolean> {
    const client = withCall(await this.client, this.#removal(id, generation));
    const reply: unknown = await this.execCommand(client, 'removeJob', this.removeArgs(id, true));
    if (reply === SCRIPT_CODES.generationMismatch) throw new GenerationMismatchError(id);
    if (typeof reply !== 'number' || reply < 0) {
      throw this.finishedErrors({ code: Number(reply), jobId: id, command: 'removeJob' });
    }
    return reply === 1;
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

  /** Runs one of our scripts on BullMQ's keys (`lua/cancel.lua`, `lua/inspect.lua`) for a job id. */
  async runCustom(command: 'cancel' | 'inspect', id: string, args: readonly string[]): Promise<unknown> {
    const { bucketKey, field } = dedupKey(this.redisPrefix, id);
    const call = [bucketKey, field, id, `${this.redisPrefix}:`, ...args];
    return super.execCommand(await this.client, command, call);
  }

  /** Writes to the dedup memory how jobs of a queue ended whose hashes are about to go. */
  async remember(queue: string, state: FinishedState, ids: readonly string[]): Promise<void> {
    const pipeline = (await this.client).pipeline();
    for (const id of ids) {
      const { bucketKey, field } = dedupKey(this.redisPrefix, id);
      const jobKey = `${this.redisPrefix}:${queue}:${id}`;
      pipeline.runCommand(this.commandName('remember'), [bucketKey, jobKey, field, ENDS[state]]);
    }
    for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
  }

  /** Those of the ids that the dedup memory knows. */
  async rememberedOf(ids: readonly string[]): Promise<string[]> {
    const client = await this.client;
    const known = await Promise.all(
      ids.map(async (id) => {
        const { bucketKey, field } = dedupKey(this.redisPrefix, id);
        return client.hget(bucketKey, field);
      }),
    );
    return ids.filter((_id, at) => known[at] !== null);
  }

  /** One page of each dedup bucket in one round trip; replies of `sweep.lua` in order. */
  async sweep(
    pages: readonly { readonly bucketKey: string; readonly idPrefix: string; readonly cursor: string }[],
    retentionMs: number,
  ): Promise<[cursor: string, removed: number][]> {
    const pipeline = (await this.client).pipeline();
    for (const { bucketKey, idPrefix, cursor } of pages) {
      const args = [bucketKey, retentionMs, cursor, `${this.redisPrefix}:`, idPrefix];
      pipeline.runCommand(this.commandName('sweep'), args);
    }
    return ((await pipeline.exec()) ?? []).map(([error, reply]) => {
      if (error !== null) throw error;
      return reply as [string, number];
    });
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

  #outerCall(client: Client, commandName: string, args: readonly unknown[]): OuterCall | undefined {
    const call = (client as { [OUTER]?: OuterCall })[OUTER];
    if (call !== undefined && call.command.endsWith(`:${commandName}`)) return call;
    // Whoever removes or replays a job, Bull Board or BullMQ itself, keeps the dedup memory right.
    if (commandName === 'removeJob') return this.#removal(String(args[REMOVED_ID]));
    if (commandName === 'reprocessJob') {
      const { bucketKey, field } = dedupKey(this.redisPrefix, String(args[REPLAYED_ID]));
      return { command: 'replay:reprocessJob', keys: [bucketKey], args: [field] };
    }
    return undefined;
  }

  #removal(id: string, generation: number | '' = ''): OuterCall {
    const { bucketKey, field } = dedupKey(this.redisPrefix, id);
    return { command: 'remove:removeJob', keys: [bucketKey], args: [field, generation] };
  }
}

/** Places in the arguments of BullMQ's commands, keys first; the lanes check at start that those have not changed. */
const REMOVED_ID = 2;
const REPLAYED_ID = 9;
const FINISHED_SET_KEY = 10;
/** After the keys: the field that is written, and the name of the end. */
const PROPERTY_ARG = 2;
const TARGET_ARG = 4;

function withCall<C extends Client>(client: C, call: OuterCall): C {
  return Object.create(client, { [OUTER]: { value: call } }) as C;
}
