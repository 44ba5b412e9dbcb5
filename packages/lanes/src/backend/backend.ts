import { RedisQueueBackend, QueueKeys } from 'bullmq';
import { encodeLane, type LaneOptions } from '../settings/lane-options.js';
import { laneKeys, ownKeyOfBase } from '../redis/keys.js';
import { laneScripts, type ComposedScript } from '../scripts/lane-scripts.js';
import { defineOwnCommands, runOwn, type OwnCommand } from '../redis/connection.js';
import { groupArguments } from '../settings/groups.js';
import type { Redis } from 'ioredis';
import { laneOf, laneOfFields, restoreLane, withoutLane } from './stored-lane.js';
import { Coalescer, Coalescers, MAX_BATCH, mostOfSlots } from './coalescer.js';
import { HeldClaims } from './held-claims.js';
import { insist } from './insist.js';
import { Waker, type WakeReply } from './waker.js';
import { WorkerDuties } from './worker-duties.js';
import type { ResolvedOptions } from './options.js';

type QueueContext = ConstructorParameters<typeof RedisQueueBackend>;
type KeysMap = QueueContext[2];
type Client = Parameters<RedisQueueBackend['execCommand']>[0];
type Args = Parameters<RedisQueueBackend['execCommand']>[2];

interface AddedJob {
  opts?: { lane?: LaneOptions };
  parentKey?: string;
}

/** BullMQ's default of `lockDuration`. */
const DEFAULT_LOCK_MS = 30_000;
/** A worker blocks at most this long, so that it takes over a wake-up whose process has died. */
const MAX_BLOCK_SECONDS = 0.8;

/**
 * BullMQ's Redis backend with a lane per account. Every BullMQ script that touches waiting,
 * active or finished jobs runs inside one of ours; see `docs/lanes.md`.
 */
export class LaneBackend extends RedisQueueBackend {
  protected readonly laneOptions: ResolvedOptions;
  private readonly waker: Waker;
  private readonly ownKey: string;
  private readonly base: string;
  private readonly claims = new HeldClaims(async (jobId, fence) =>
    this.own('release-claim', [], [jobId, fence]),
  );
  private readonly coalescers = new Coalescers<Client>();
  private ending = false;
  private duties: WorkerDuties | undefined;

  constructor(...[connection, name, keys, toKey, opts, blocking, owns, laneOptions]: LaneBackendArguments) {
    super(connection, name, keys, toKey, opts, blocking, owns);
    this.laneOptions = laneOptions;
    this.base = keys['']!;
    this.ownKey = ownKeyOfBase(this.base);
    this.waker = new Waker(async (due) => (await this.own('wake', [], [due])) as WakeReply);
    // Registered before anybody else can wait for the client: a pipeline only knows the commands
    // that were defined when it was made.
    connection.client.then(
      (client) => this.prepare(client as unknown as DefiningClient),
      () => undefined,
    );
  }

  private prepare(client: DefiningClient): void {
    this.defineCommands(client);
    defineOwnCommands(client);
    if (!this.ownsConnection) {
      return;
    }
    const onError = (error: unknown): void => {
      if (!this.closing) {
        this.emit('error', error);
      }
    };
    const insistence = { isClosing: () => Boolean(this.closing), onError };
    if (this.blockingConnection) {
      this.duties = new WorkerDuties({
        ...insistence,
        prefix: this.redisPrefix,
        queue: this.name,
        client: client as unknown as Redis,
        blockingConnection: this.blockingConnection,
        lockMs: (this.queue.opts as { lockDuration?: number }).lockDuration ?? DEFAULT_LOCK_MS,
        options: this.laneOptions,
      });
    }
    for (const [group, limits] of Object.entries(this.laneOptions.groups)) {
      const key = laneKeys(this.redisPrefix).group(group);
      void insist(async () => this.own('set-group', [key], groupArguments(group, limits)), insistence);
    }
  }

  /** A worker is ready when it may ask for a job: it has joined its queue's fleet too. */
  override async waitUntilReady(): Promise<void> {
    await super.waitUntilReady();
    await this.duties?.entry;
  }

  /** Runs a command of our own on this backend's connection. */
  protected async own(command: OwnCommand, keys: string[], args: (string | number)[]): Promise<unknown> {
    return runOwn(await this.queue.client, command, this.base, keys, args, this.time());
  }

  /** The scripts that run with lanes, by command; a subclass wraps some of them and adds to them. */
  protected scripts(): ReadonlyMap<string, ComposedScript> {
    return laneScripts();
  }

  /** Registered names carry the class, so that plain and lane queues may share one client. */
  protected commandName(name: string): string {
    return `lane.${name}:${this.version}`;
  }

  /** Registers the scripts with a client, once. */
  protected defineCommands(client: DefiningClient): void {
    for (const script of this.scripts().values()) {
      const name = this.commandName(script.name);
      if (!(name in client)) {
        client.defineCommand(name, { numberOfKeys: script.numberOfKeys, lua: script.lua });
        if (script.batch) {
          client.defineCommand(`${name}*`, { lua: script.batch });
        }
      }
    }
  }

  override forQueue(queueName: string, prefix?: string): this {
    const resolved = prefix ?? this.redisPrefix;
    const keys = new QueueKeys(resolved);
    const Backend = this.constructor as new (...args: LaneBackendArguments) => this;
    return new Backend(
      this.connection,
      queueName,
      keys.getKeys(queueName),
      (type: string) => keys.toKey(queueName, type),
      { ...this.queue.opts, prefix: resolved } as QueueContext[4],
      this.blockingConnection,
      false,
      this.laneOptions,
    );
  }

  override execCommand(
    client: Client,
    commandName: string,
    args: Args,
  ): ReturnType<RedisQueueBackend['execCommand']> {
    const script = this.scripts().get(commandName);
    if (!script) {
      return super.execCommand(client, commandName, args);
    }
    if (this.duties?.entry && commandName === 'moveToActive') {
      return this.duties.entry.then(() => this.execCommand(client, commandName, args));
    }
    if (script.role === 'adding') {
      return this.runOrGather(client, script, args);
    }
    const all = [...args];
    all.splice(script.numberOfKeys - 1, 0, this.ownKey);
    all.push(this.base, this.time());
    if (script.role !== 'activating') {
      return client.runCommand(this.commandName(commandName), all);
    }
    return this.heed(this.runOrGather(client, script, all) as Promise<unknown>);
  }

  /** Runs a script, together with others of this turn where it has a form for that. */
  private runOrGather(client: Client, script: ComposedScript, args: Args): ReturnType<Client['runCommand']> {
    const { name, batch } = script;
    const connection = batch && this.connectionOf(client);
    if (!batch || !connection || this.ending) {
      return client.runCommand(this.commandName(name), args);
    }
    // A job may be added to another queue than this one: its key prefix is the last argument but one.
    const coalescer = this.coalescers.of(connection, `${name} ${String(args.at(-2))}`, () => {
      const command = this.commandName(name);
      return new Coalescer(
        script.numberOfKeys,
        async (registered, all) => connection.runCommand(registered, all as Args),
        command,
        `${command}*`,
        this.mostRuns,
      );
    });
    return coalescer.send(args);
  }

  /** Of a call; a queue, which has no slots, has the bound alone. */
  private get mostRuns(): number {
    const { concurrency } = this.queue.opts as { concurrency?: number };
    return concurrency === undefined ? MAX_BATCH : mostOfSlots(concurrency);
  }

  /** The connection that a command runs on; nothing for a transaction, which keeps its commands apart. */
  protected connectionOf(client: Client): Client | undefined {
    return 'duplicate' in client ? client : undefined;
  }

  /** Ends the claim of a handler that has settled without a finish. */
  protected async releaseClaim(jobId: string, token: string): Promise<void> {
    await this.claims.release(jobId, token);
  }

  /** A finish that is refused, or that throws, ends the claim of its handler all the same. */
  protected async settled<T>(jobId: string, token: string, finish: () => Promise<T>): Promise<T> {
    return this.claims.settle(jobId, token, finish);
  }

  override moveToCompleted(
    ...args: Parameters<RedisQueueBackend['moveToCompleted']>
  ): ReturnType<RedisQueueBackend['moveToCompleted']> {
    return this.settled(args[0].id!, args[3], () => super.moveToCompleted(...args));
  }

  override moveToFailed(
    ...args: Parameters<RedisQueueBackend['moveToFailed']>
  ): ReturnType<RedisQueueBackend['moveToFailed']> {
    return this.settled(args[0].id!, args[3], () => super.moveToFailed(...args));
  }

  override moveToDelayed(
    ...args: Parameters<RedisQueueBackend['moveToDelayed']>
  ): ReturnType<RedisQueueBackend['moveToDelayed']> {
    return this.settled(args[0], args[3] ?? '0', () => super.moveToDelayed(...args));
  }

  override retryJob(
    ...args: Parameters<RedisQueueBackend['retryJob']>
  ): ReturnType<RedisQueueBackend['retryJob']> {
    return this.settled(args[0], args[2] ?? '0', () => super.retryJob(...args));
  }

  override moveJobFromActiveToWait(
    ...args: Parameters<RedisQueueBackend['moveJobFromActiveToWait']>
  ): ReturnType<RedisQueueBackend['moveJobFromActiveToWait']> {
    return this.settled(args[0], args[1] ?? '0', () => super.moveJobFromActiveToWait(...args));
  }

  /** BullMQ's reply; what it says about waking and claims is noted. */
  private async heed(reply: Promise<unknown>): Promise<unknown> {
    const askedAt = Date.now();
    const bull = await reply;
    if (!Array.isArray(bull)) {
      return bull;
    }
    const [job, id, , , wake] = bull as [unknown, unknown, unknown, unknown, WakeReply | undefined];
    restoreLane(job);
    this.claims.note(String(id), job);
    if (wake) {
      this.waker.hear(wake, askedAt);
    }
    return bull;
  }

  private time(): string {
    return this.laneOptions.clock ? String(this.laneOptions.clock()) : '';
  }

  private withLane(args: Args, keyCount: number, job: AddedJob, keys: KeysMap): Args {
    const base = keys['']!;
    const { lane, extra } = encodeLane(laneOf(job), this.laneOptions.groupNames, Boolean(job.parentKey));
    args.splice(keyCount, 0, ownKeyOfBase(base));
    args.push(lane, extra, base, this.time());
    return args;
  }

  override addJobToTransaction(
    ...[client, job, ...more]: Parameters<RedisQueueBackend['addJobToTransaction']>
  ): ReturnType<RedisQueueBackend['addJobToTransaction']> {
    return super.addJobToTransaction(client, withoutLane(job), ...more);
  }

  override async getJobData(jobId: string): ReturnType<RedisQueueBackend['getJobData']> {
    const client = (await this.queue.client) as unknown as Redis;
    const [data, fields] = await Promise.all([
      super.getJobData(jobId),
      client.hmget(this.toKey(jobId), 'ln', 'lc', 'tg'),
    ]);
    const lane = laneOfFields(fields);
    if (data && lane) {
      (data.opts as { lane?: LaneOptions }).lane ??= lane;
    }
    return data;
  }

  override async getJobs(
    ...args: Parameters<RedisQueueBackend['getJobs']>
  ): ReturnType<RedisQueueBackend['getJobs']> {
    const states = await super.getJobs(...args);
    for (const jobs of states) {
      for (const [, hash] of jobs) {
        restoreLane(hash);
      }
    }
    return states;
  }

  protected override addStandardJobArgs(
    ...[job, opts, args, keys = this.keys]: AddArguments
  ): (string | Buffer)[] {
    return this.withLane(super.addStandardJobArgs(job, opts, args, keys), 9, job, keys) as (
      | string
      | Buffer
    )[];
  }

  protected override addDelayedJobArgs(
    ...[job, opts, args, keys = this.keys]: AddArguments
  ): (string | Buffer)[] {
    return this.withLane(super.addDelayedJobArgs(job, opts, args, keys), 6, job, keys) as (string | Buffer)[];
  }

  protected override addPrioritizedJobArgs(
    ...[job, opts, args, keys = this.keys]: AddArguments
  ): (string | Buffer)[] {
    return this.withLane(super.addPrioritizedJobArgs(job, opts, args, keys), 9, job, keys) as (
      | string
      | Buffer
    )[];
  }

  protected override addParentJobArgs(
    ...[job, opts, args, keys = this.keys]: AddArguments
  ): (string | Buffer)[] {
    return this.withLane(super.addParentJobArgs(job, opts, args, keys), 6, job, keys) as (string | Buffer)[];
  }

  /** The only raw read of BullMQ that goes to `wait` itself. */
  override async isJobInState(
    ...[state, jobId]: Parameters<RedisQueueBackend['isJobInState']>
  ): Promise<boolean> {
    if (state === 'wait' || state === 'waiting') {
      return (await this.getState(jobId)) === 'waiting';
    }
    return super.isJobInState(state, jobId);
  }

  /** The state of the lanes in that hash is ours, no option of the queue. */
  override async getQueueMeta(): ReturnType<RedisQueueBackend['getQueueMeta']> {
    const meta = await super.getQueueMeta();
    return Object.fromEntries(Object.entries(meta).filter(([field]) => !field.startsWith('lane:')));
  }

  override async waitForJob(blockTimeout: number): ReturnType<RedisQueueBackend['waitForJob']> {
    let leftMs = Math.min(blockTimeout, MAX_BLOCK_SECONDS) * 1_000;
    const until = performance.now() + leftMs;
    do {
      const popped = await super.waitForJob(leftMs / 1_000);
      if (!popped || popped.score <= 0 || !this.waker.isAhead(popped.score)) {
        return popped && { ...popped, score: 0 };
      }
      // It only has to be known here: a timer wakes a worker for it, this one or another.
      this.waker.schedule(popped.score);
      leftMs = until - performance.now();
    } while (leftMs >= 1);
    return null;
  }

  /** Tells another worker when one is to be woken, on the server's clock. */
  private async handOver(due: number): Promise<void> {
    const client = (await this.queue.client) as unknown as Redis;
    await client.zadd(this.keys.marker!, 'LT', due, '1');
  }

  override async close(force = false): Promise<void> {
    const due = this.waker.stop();
    // Nobody awaits it: it goes out in front of the connection's end, and a queue closes without a server too.
    if (due < Infinity && !force) this.handOver(due).catch(() => undefined);
    // What is still asked for goes out at once, in front of the connection's end.
    this.ending = true;
    this.coalescers.flush();
    const stopped = this.duties?.stop();
    // By force: what is on its way may never be answered, and ends with its connection.
    if (!force) await stopped;
    await super.close(force);
  }
}

/** What is needed of a client to register scripts with it. */
export interface DefiningClient {
  defineCommand(name: string, definition: { numberOfKeys?: number; lua: string }): void;
}

type AddArguments = Parameters<RedisQueueBackend['addStandardJobArgs']>;

/** What a subclass of {@link LaneBackend} hands to its constructor. */
export type LaneBackendArguments = [
  connection: QueueContext[0],
  name: QueueContext[1],
  keys: QueueContext[2],
  toKey: QueueContext[3],
  opts: QueueContext[4],
  blocking: QueueContext[5],
  owns: boolean,
  laneOptions: ResolvedOptions,
];
