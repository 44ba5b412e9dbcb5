import { QueueKeys, RedisQueueBackend } from 'bullmq';
import type {
  IRedisTransaction,
  JobJson,
  KeyPrefixOptions,
  MinimalJob,
  QueueBaseOptions,
  RedisClient,
  RetryOptions,
} from 'bullmq';
import { dedupKey, type DedupKey } from '../dedup/dedup-key.js';
import { GenerationMismatchError, SCRIPT_CODES } from '../errors.js';
import { wrappedArgs } from '../scripts/lua-script.js';
import type { ComposedScript, WrappedCommand } from '../scripts/commands.js';
import { composeScripts } from '../scripts/commands.js';
import { repairActivationReply } from './activation-reply.js';

type Client = RedisClient | IRedisTransaction;

/** What the dedup decision needs besides the job. */
export interface DedupTerms {
  readonly id: string;
  readonly digest: string;
  readonly retentionMs: number;
  /** Server time after which the job must not be added any more. */
  readonly deadlineMs: number;
  readonly onConflict: 'reject' | 'first';
}

export interface RemovalTerms {
  readonly endState: 'purged' | 'cancelled';
  /** Only this generation of the key; left out: whichever is there. */
  readonly generation?: number;
}

interface OuterCall {
  readonly command: WrappedCommand;
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

/** Terms travel on the client that BullMQ hands through to `execCommand`, so that its own methods stay in use. */
const TERMS = Symbol('terms');

const ACTIVATING = new Set(['moveToActive', 'moveToFinished', 'moveToDelayed']);

export const composedScripts: ReadonlyMap<string, ComposedScript> = composeScripts();

/**
 * BullMQ's Redis backend with the dedup memory kept in the same scripts that add, finish, remove and replay jobs.
 * It wraps whatever its base class would run, so another base class may compose scripts of its own.
 */
export class FairlaneBackend extends RedisQueueBackend {
  #lastPollAtMs = performance.now();
  #connectedAtMs: number | undefined;

  constructor(...args: ConstructorParameters<typeof RedisQueueBackend>) {
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

  override forQueue(queueName: string, prefix?: string): FairlaneBackend {
    const resolved = prefix ?? this.redisPrefix;
    const queueKeys = new QueueKeys(resolved);
    return new FairlaneBackend(
      this.connection,
      queueName,
      queueKeys.getKeys(queueName),
      (type) => queueKeys.toKey(queueName, type),
      withPrefix(this.queue.opts, resolved),
      this.blockingConnection,
      false,
    );
  }

  override execCommand(client: Client, commandName: string, args: unknown[]): unknown {
    const call = this.#outerCall(client, commandName, args);
    const reply: unknown =
      call === undefined
        ? super.execCommand(client, commandName, args)
        : super.execCommand(runningWrapped(client, call), commandName, args);
    return ACTIVATING.has(commandName) && reply instanceof Promise
      ? reply.then(async (activation: unknown) => this.#repaired(activation))
      : reply;
  }

  /** The stored values stay for people, but for a parent: BullMQ's finish would fail on it after giving up the lock. */
  async #repaired(activation: unknown): Promise<unknown> {
    if (repairActivationReply(activation).includes('parent')) {
      const [, id] = activation as [unknown, string];
      await (await this.client).hdel(this.toKey(id), 'parent', 'parentKey');
    }
    return activation;
  }

  /** Adds a job unless its key is taken; the reply of `submit.lua`, or the pipeline when `client` is one. */
  async submit(client: Client, job: JobJson & { id: string }, terms: DedupTerms): Promise<unknown> {
    return this.addJobToTransaction(withTerms(client, terms), job, job.id);
  }

  /**
   * Removes a job that is not active and frees its key, unless it completed.
   *
   * @returns false when the job is active.
   * @throws GenerationMismatchError when another generation was asked for.
   */
  async removeRun(id: string, terms: RemovalTerms): Promise<boolean> {
    const client = withTerms(await this.client, terms);
    const reply = await this.execCommand(client, 'removeJob', this.removeArgs(id, true));
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

  #outerCall(client: Client, commandName: string, args: unknown[]): OuterCall | undefined {
    const terms = (client as { [TERMS]?: DedupTerms | RemovalTerms })[TERMS];
    switch (commandName) {
      case 'addStandardJob':
      case 'addDelayedJob':
      case 'addPrioritizedJob':
        return terms !== undefined && 'digest' in terms ? this.#submitCall(commandName, terms) : undefined;
      case 'moveToFinished':
        return this.#entryCall(commandName, String(args[14]));
      case 'removeJob': {
        const { endState = 'purged', generation = '' } = (terms ?? {}) as Partial<RemovalTerms>;
        return this.#entryCall(commandName, String(args[2]), [endState === 'purged' ? 'P' : 'X', generation]);
      }
      case 'reprocessJob':
        return this.#entryCall(commandName, String(args[9]));
      default:
        return undefined;
    }
  }

  #submitCall(command: WrappedCommand, terms: DedupTerms): OuterCall {
    const { id, digest, retentionMs, deadlineMs, onConflict } = terms;
    const first = onConflict === 'first' ? '1' : '0';
    const base = `${this.redisPrefix}:`;
    return this.#entryCall(command, id, [id, digest, this.name, base, retentionMs, deadlineMs, first]);
  }

  #entryCall(command: WrappedCommand, id: string, args: readonly (string | number)[] = []): OuterCall {
    const { bucketKey, field }: DedupKey = dedupKey(this.redisPrefix, id);
    return { command, keys: [bucketKey], args: [field, ...args] };
  }
}

/** The prefix is an option of the Redis backend alone, which BullMQ's shared type leaves out. */
function withPrefix(opts: QueueBaseOptions, prefix: string): QueueBaseOptions & KeyPrefixOptions {
  return { ...opts, prefix };
}

function withTerms(client: Client, terms: DedupTerms | RemovalTerms): Client {
  return Object.create(client, { [TERMS]: { value: terms } }) as Client;
}

/** The client as the base class sees it: whatever script it runs for the command, the composed one runs instead. */
function runningWrapped(client: Client, { command, keys, args }: OuterCall): Client {
  const composed = composedScripts.get(command);
  if (composed === undefined) throw new Error(`no composed script for ${command}`);
  const { script, innerKeyCount } = composed;
  const runCommand = (_inner: string, innerArgs: unknown[]): unknown =>
    client.runCommand(script.name, wrappedArgs(innerKeyCount, innerArgs, keys, args));
  return Object.create(client, { runCommand: { value: runCommand } }) as Client;
}
