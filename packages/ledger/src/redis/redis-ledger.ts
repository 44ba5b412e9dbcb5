import { Redis, type RedisOptions } from 'ioredis';

import { resolvedResult } from '@fairlane/sdk/internal';
import type {
  BeginReply,
  BeginRequest,
  EffectLedger,
  EffectState,
  EffectView,
  KeptResult,
  RecordRequest,
  RepeatRequest,
  ResolveReply,
  ResolveRequest,
  SweepReply,
  SweepRequest,
  Unsettled,
  WithdrawRequest,
} from '../ledger.js';
import { scripts, type LedgerCommands } from './scripts.js';
import { tellLosses } from './tell-losses.js';

export interface RedisLedgerOptions {
  /** A URL such as `redis://127.0.0.1:6379`, or the options of ioredis. Redis 7 or newer. */
  redis: string | RedisOptions;
  /** In front of every key; default `{fairlane}`. Its braces keep all keys in one slot of a cluster. */
  prefix?: string;
  /** Told of connection errors, which are survived. */
  onError?: (error: unknown) => void;
  /** Milliseconds since the epoch; the server's clock when left out. */
  nowMs?: () => number;
}

/** An effect as `includes/effect.lua` keeps it. */
interface StoredEffect {
  state: EffectState;
  firstMs: number;
  startedMs: number;
  timeoutMs: number;
  atMs: number;
  inputHash: string;
  kept?: KeptResult['kept'];
  externalId?: string;
}

const EFFECT_FIELD = 'e:';

/** The ledger in Redis, with nothing else to run. As durable as that server's append-only file. */
export function createRedisLedger(options: RedisLedgerOptions): EffectLedger {
  return new RedisLedger(options);
}

class RedisLedger implements EffectLedger {
  readonly #client: Redis & LedgerCommands;
  readonly #prefix: string;
  readonly #now: () => number | '';

  constructor({ redis, prefix = '{fairlane}', onError = () => undefined, nowMs }: RedisLedgerOptions) {
    this.#prefix = `${prefix}:ledger`;
    this.#now = nowMs ?? (() => '');
    const common = {
      scripts,
      replyMapping: 'legacy',
      connectTimeout: 5_000,
      // A connection that is silent although an answer is due may be half-open: it is made anew.
      socketTimeout: 5_000,
      // A caller waits a few seconds at most; the runner of effects decides what happens then.
      maxRetriesPerRequest: 3,
      retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), 1_000),
    } satisfies RedisOptions;
    const client = typeof redis === 'string' ? new Redis(redis, common) : new Redis({ ...redis, ...common });
    tellLosses(client, onError);
    this.#client = client as Redis & LedgerCommands;
  }

  async begin({ jobId, holder, fence, name, inputHash, timeoutMs }: BeginRequest): Promise<BeginReply> {
    const reply = await this.#client.fairlaneLedgerBegin(
      this.#jobKey(jobId),
      this.#touchedKey,
      jobId,
      holder,
      fence ?? '',
      name,
      inputHash,
      timeoutMs,
      this.#now(),
    );
    return readBeginReply(reply);
  }

  async withdraw({ jobId, holder, name }: WithdrawRequest): Promise<boolean> {
    return (await this.#client.fairlaneLedgerWithdraw(this.#jobKey(jobId), holder, name, this.#now())) === 1;
  }

  async repeat({ jobId, fence, name, inputHash, timeoutMs, keepAge }: RepeatRequest): Promise<boolean> {
    const args = [fence, name, inputHash, timeoutMs, keepAge ? 1 : 0, this.#now()];
    return (await this.#client.fairlaneLedgerRepeat(this.#jobKey(jobId), ...args)) === 1;
  }

  async record({ jobId, fence, name, outcome }: RecordRequest): Promise<boolean> {
    const { state } = outcome;
    const result = state === 'done' ? outcome.result : undefined;
    const reply = await this.#client.fairlaneLedgerRecord(
      this.#jobKey(jobId),
      fence,
      name,
      state,
      result?.kept ?? '',
      result?.kept === 'json' ? result.json : '',
      (state === 'done' ? outcome.externalId : undefined) ?? '',
      this.#now(),
    );
    return reply === 1;
  }

  async resolve({ jobId, name, outcome, externalId }: ResolveRequest): Promise<ResolveReply> {
    const reply = await this.#client.fairlaneLedgerResolve(
      this.#jobKey(jobId),
      this.#touchedKey,
      jobId,
      name,
      outcome === 'applied' ? 'done' : 'not_applied',
      outcome === 'applied' ? resolvedResult(externalId) : '',
      (outcome === 'applied' ? externalId : undefined) ?? '',
      this.#now(),
    );
    return reply as ResolveReply;
  }

  async effects(jobId: string): Promise<EffectView[]> {
    const key = this.#jobKey(jobId);
    // Not HGETALL: results are of no use here and may be large.
    const fields = (await this.#client.hkeys(key)).filter((field) => field.startsWith(EFFECT_FIELD));
    if (fields.length === 0) return [];
    const texts = await this.#client.hmget(key, ...fields);
    return fields
      .flatMap((field, index) => {
        const text = texts[index];
        if (text === null || text === undefined) return [];
        const { state, externalId, atMs } = JSON.parse(text) as StoredEffect;
        const at = new Date(atMs).toISOString();
        const name = field.slice(EFFECT_FIELD.length);
        return [{ name, state, ...(externalId === undefined ? {} : { externalId }), at }];
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async effectsOf(jobIds: readonly string[]): Promise<Map<string, EffectView[]>> {
    // Sent together: what waits for an answer is the page, not each of its jobs.
    const each = await Promise.all(jobIds.map(async (jobId) => [jobId, await this.effects(jobId)] as const));
    return new Map(each.filter(([, effects]) => effects.length > 0));
  }

  async unsettled(jobIds: readonly string[]): Promise<Map<string, Unsettled['state'][]>> {
    if (jobIds.length === 0) return new Map();
    const keys = jobIds.map((jobId) => this.#jobKey(jobId));
    const rows = await this.#client.fairlaneLedgerUnsettled(keys.length, ...keys);
    return new Map(
      rows.map(([at, ...states]) => [jobIds[at] as string, states as Unsettled['state'][]] as const),
    );
  }

  async sweep({ retentionMs, limit, stillNeeded }: SweepRequest): Promise<SweepReply> {
    const beforeMs = (await this.#serverTimeMs()) - retentionMs;
    const jobIds = await this.#client.zrangebyscore(this.#touchedKey, '-inf', beforeMs, 'LIMIT', 0, limit);
    const needed = new Set(jobIds.length === 0 ? [] : await stillNeeded(jobIds));
    const replies = await Promise.all(
      jobIds.map(async (jobId) =>
        this.#client.fairlaneLedgerForget(
          this.#jobKey(jobId),
          this.#touchedKey,
          jobId,
          beforeMs,
          needed.has(jobId) ? 1 : 0,
          this.#now(),
        ),
      ),
    );
    const removed = replies.filter((reply) => reply === 1).length;
    return { removed, kept: jobIds.length - removed, more: jobIds.length === limit };
  }

  async check(): Promise<void> {
    await this.#client.ping();
  }

  async close(): Promise<void> {
    // QUIT would wait for a server that does not answer.
    this.#client.disconnect();
  }

  async #serverTimeMs(): Promise<number> {
    const given = this.#now();
    if (given !== '') return given;
    const [seconds, micros] = await this.#client.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  #jobKey(jobId: string): string {
    return `${this.#prefix}:job:${jobId}`;
  }

  get #touchedKey(): string {
    return `${this.#prefix}:touched`;
  }
}

function readBeginReply(reply: readonly string[]): BeginReply {
  const [outcome, fenceText, effectText = '', last = ''] = reply;
  const fence = Number(fenceText);
  if (outcome === 'stale') return { outcome };
  if (outcome === 'perform') return { outcome, fence };

  const effect = JSON.parse(effectText) as StoredEffect;
  const { inputHash, kept = 'nothing' } = effect;
  if (outcome === 'done') {
    return { outcome, fence, inputHash, result: kept === 'json' ? { kept, json: last } : { kept } };
  }
  const nowMs = Number(last);
  return {
    outcome: 'unsettled',
    fence,
    inputHash,
    state: effect.state === 'unknown' ? 'unknown' : 'started',
    // Never below 0, though the server's clock may have been set back.
    startedAgoMs: Math.max(0, nowMs - effect.startedMs),
    firstStartedAgoMs: Math.max(0, nowMs - effect.firstMs),
    timeoutMs: effect.timeoutMs,
  };
}
