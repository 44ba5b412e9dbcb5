import { Redis, type RedisOptions } from 'ioredis';
import { RENEW_MS } from '../bounds.js';
import { scripts, type HoldCommands } from './scripts.js';

export interface HoldsOptions {
  /** A URL such as `redis://127.0.0.1:6379`, or the options of ioredis. Redis 7 or newer. */
  readonly redis: string | RedisOptions;
  /** In front of every key. Its braces keep all keys in one slot of a cluster. */
  readonly prefix: string;
  readonly onError: (error: unknown) => void;
  /** Milliseconds since the epoch; the server's clock when left out. */
  readonly nowMs?: () => number;
}

/** A holder whose time is over, with that time. */
export interface EndedHold {
  readonly owner: string;
  readonly untilMs: number;
}

/** Most holders of one blob that are asked about at a time. */
const HOLDERS_PER_LOOK = 500;

/**
 * Who needs which blob, in Redis. A hold lasts for a time, after which it is asked whether its owner still needs the
 * blob: nothing has to remember to end it, and no crash leaves a blob for ever.
 */
export class Holds {
  readonly #client: Redis & HoldCommands;
  readonly #prefix: string;
  readonly #now: () => number | '';

  constructor({ redis, prefix, onError, nowMs }: HoldsOptions) {
    this.#prefix = `${prefix}:blobs`;
    this.#now = nowMs ?? (() => '');
    const common = {
      scripts,
      replyMapping: 'legacy',
      connectTimeout: 5_000,
      // A connection that is silent although an answer is due may be half-open: it is made anew.
      socketTimeout: 5_000,
      maxRetriesPerRequest: 3,
      retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), 1_000),
    } satisfies RedisOptions;
    const client = typeof redis === 'string' ? new Redis(redis, common) : new Redis({ ...redis, ...common });
    // One call a loss, not one a try: it tries for ever, once a second.
    let isLost = false;
    client.on('error', (error: unknown) => {
      if (!isLost) onError(error);
      isLost = true;
    });
    client.on('ready', () => (isLost = false));
    this.#client = client as Redis & HoldCommands;
  }

  /**
   * Holds a blob that is about to be stored (`register`) or is known.
   *
   * @returns when the hold ends, or undefined when the blob is not known.
   */
  async hold(
    id: string,
    { owner, holdMs, register }: { owner: string; holdMs: number; register: boolean },
  ): Promise<number | undefined> {
    const args = [id, owner, holdMs, register ? '1' : '0', this.#now()];
    return (await this.#client.fairlaneBlobHold(this.#holders(id), this.#due, ...args)) || undefined;
  }

  /**
   * Makes stored bytes known by their digest and begins the owner's hold anew.
   *
   * @returns when the hold ends, or undefined when it was lost.
   */
  async publish(
    id: string,
    { owner, holdMs, digest, bytes }: { owner: string; holdMs: number; digest: string; bytes: number },
  ): Promise<number | undefined> {
    const reply = await this.#client.fairlaneBlobPublish(
      this.#holders(id),
      this.#due,
      this.#facts(id),
      this.#digest(digest),
      id,
      owner,
      holdMs,
      digest,
      bytes,
      this.#now(),
    );
    return reply || undefined;
  }

  async release(id: string, owner: string): Promise<boolean> {
    return (
      (await this.#client.fairlaneBlobRelease(this.#holders(id), this.#due, id, owner, this.#now())) === 1
    );
  }

  /** The blob to use for a digest. */
  async find(digest: string): Promise<{ id: string; bytes: number } | undefined> {
    const id = await this.#client.get(this.#digest(digest));
    const bytes = id === null ? null : await this.#client.hget(this.#facts(id), 'bytes');
    return id === null || bytes === null ? undefined : { id, bytes: Number(bytes) };
  }

  /** Digest of a blob's bytes, once they are stored. */
  async digestOf(id: string): Promise<string | undefined> {
    return (await this.#client.hget(this.#facts(id), 'digest')) ?? undefined;
  }

  /** Blobs one of whose holds has ended, the longest ago first. */
  async due(limit: number): Promise<string[]> {
    return this.#client.zrangebyscore(this.#due, '-inf', await this.#serverTimeMs(), 'LIMIT', 0, limit);
  }

  async ended(id: string): Promise<EndedHold[]> {
    const nowMs = await this.#serverTimeMs();
    const limit = ['LIMIT', 0, HOLDERS_PER_LOOK] as const;
    const reply = await this.#client.zrangebyscore(this.#holders(id), '-inf', nowMs, 'WITHSCORES', ...limit);
    return Array.from({ length: reply.length / 2 }, (_value, at) => ({
      owner: reply[2 * at] ?? '',
      untilMs: Number(reply[2 * at + 1]),
    }));
  }

  /** Renews those who still need the blob, lets the others go. @returns true when nobody is left: it is doomed. */
  async settle(id: string, ended: readonly EndedHold[], needed: ReadonlySet<string>): Promise<boolean> {
    const renewed = ended.flatMap(({ owner }) => (needed.has(owner) ? [owner] : []));
    const gone = ended.flatMap(({ owner, untilMs }) => (needed.has(owner) ? [] : [[owner, untilMs]]));
    const reply = await this.#client.fairlaneBlobSettle(
      this.#holders(id),
      this.#due,
      this.#facts(id),
      this.#doomed,
      id,
      JSON.stringify(renewed),
      JSON.stringify(gone),
      RENEW_MS,
      this.#digest(''),
      this.#now(),
    );
    return reply === 1;
  }

  async isKnown(ids: readonly string[]): Promise<boolean[]> {
    if (ids.length === 0) return [];
    return (await this.#client.zmscore(this.#due, ...ids)).map((score) => score !== null);
  }

  /** @returns false when somebody knows the object. */
  async doomUnknown(id: string): Promise<boolean> {
    return (await this.#client.fairlaneBlobDoomUnknown(this.#due, this.#doomed, id, this.#now())) === 1;
  }

  /** Blobs whose bytes are still to be deleted. */
  async doomed(limit: number): Promise<string[]> {
    return this.#client.zrangebyscore(this.#doomed, '-inf', '+inf', 'LIMIT', 0, limit);
  }

  /** Called when the bytes are deleted. */
  async forget(id: string): Promise<void> {
    await this.#client.zrem(this.#doomed, id);
  }

  async check(): Promise<void> {
    await this.#client.ping();
  }

  close(): void {
    // QUIT would wait for a server that does not answer.
    this.#client.disconnect();
  }

  async #serverTimeMs(): Promise<number> {
    const given = this.#now();
    if (given !== '') return given;
    const [seconds, micros] = await this.#client.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  get #due(): string {
    return `${this.#prefix}:due`;
  }

  get #doomed(): string {
    return `${this.#prefix}:doomed`;
  }

  #holders(id: string): string {
    return `${this.#prefix}:holders:${id}`;
  }

  #facts(id: string): string {
    return `${this.#prefix}:facts:${id}`;
  }

  #digest(digest: string): string {
    return `${this.#prefix}:digest:${digest}`;
  }
}
