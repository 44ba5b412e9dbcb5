import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';

import { resolvedResult } from '@fairlane/sdk/internal';
import type {
  BeginReply,
  BeginRequest,
  EffectLedger,
  EffectView,
  RecordRequest,
  RepeatRequest,
  ResolveReply,
  ResolveRequest,
  SweepReply,
  SweepRequest,
  Unsettled,
  WithdrawRequest,
} from '../ledger.js';
import { pendingMigrations } from './migrate.js';
import { openPool, SILENCE_MS } from './open-pool.js';
import type { LedgerDatabase, LedgerSchema } from './schema.js';
import { begin, record, repeat, timeOf, withdraw, type BegunRow } from './statements.js';

export interface PostgresLedgerOptions {
  /** `postgres://user:password@host:port/database`; a transaction-pooling proxy will do. */
  databaseUrl: string;
  /** Most connections of this process; default 10. */
  maxConnections?: number;
  /** Told of broken connections, which are survived. */
  onError?: (error: unknown) => void;
  /** Milliseconds since the epoch; the server's clock when left out. */
  nowMs?: () => number;
}

/** The ledger in Postgres. Its tables are made by `migrateLedger`. */
export function createPostgresLedger(options: PostgresLedgerOptions): EffectLedger {
  const { databaseUrl, maxConnections = 10, onError = () => undefined, nowMs } = options;
  const pool = openPool({ databaseUrl, maxConnections, connectMs: SILENCE_MS, onError });
  return new PostgresLedger(new Kysely<LedgerSchema>({ dialect: new PostgresDialect({ pool }) }), nowMs);
}

class PostgresLedger implements EffectLedger {
  readonly #db: LedgerDatabase;
  readonly #now: () => number | undefined;

  constructor(db: LedgerDatabase, nowMs: (() => number) | undefined) {
    this.#db = db;
    this.#now = nowMs ?? (() => undefined);
  }

  async begin(request: BeginRequest): Promise<BeginReply> {
    const { rows } = await begin(request, this.#now()).execute(this.#db);
    const [row] = rows;
    return row === undefined ? { outcome: 'stale' } : readBegun(row);
  }

  async withdraw(request: WithdrawRequest): Promise<boolean> {
    const { rows } = await withdraw(request, this.#now()).execute(this.#db);
    return rows.length === 1;
  }

  async repeat(request: RepeatRequest): Promise<boolean> {
    const { rows } = await repeat(request, this.#now()).execute(this.#db);
    return rows.length === 1;
  }

  async record(request: RecordRequest): Promise<boolean> {
    const { rows } = await record(request, this.#now()).execute(this.#db);
    return rows.length === 1;
  }

  async resolve(request: ResolveRequest): Promise<ResolveReply> {
    return this.#db.transaction().execute(async (transaction) => this.#resolveIn(transaction, request));
  }

  async effects(jobId: string): Promise<EffectView[]> {
    return (await this.effectsOf([jobId])).get(jobId) ?? [];
  }

  async effectsOf(jobIds: readonly string[]): Promise<Map<string, EffectView[]>> {
    const rows = await this.#db
      .selectFrom('fairlane_ledger_effect')
      .select(['job_id', 'name', 'state', 'external_id', 'changed_at'])
      .where('job_id', '=', anyOf(jobIds))
      .orderBy('name')
      .execute();
    const effects = new Map<string, EffectView[]>();
    for (const { job_id: jobId, name, state, external_id: externalId, changed_at: changedAt } of rows) {
      const known = effects.get(jobId) ?? [];
      known.push({
        name,
        state,
        ...(externalId === null ? {} : { externalId }),
        at: changedAt.toISOString(),
      });
      effects.set(jobId, known);
    }
    return effects;
  }

  async unsettled(jobIds: readonly string[]): Promise<Map<string, Unsettled['state'][]>> {
    const open = ['started', 'unknown'] as const satisfies Unsettled['state'][];
    const rows = await this.#db
      .selectFrom('fairlane_ledger_effect')
      .select(['job_id', 'state'])
      .where('job_id', '=', anyOf(jobIds))
      .where('state', 'in', open)
      .execute();
    const states = new Map<string, Unsettled['state'][]>();
    for (const { job_id: jobId, state } of rows) {
      states.set(jobId, [...(states.get(jobId) ?? []), state as Unsettled['state']]);
    }
    return states;
  }

  async sweep({ retentionMs, limit, stillNeeded }: SweepRequest): Promise<SweepReply> {
    const before = sql<Date>`${timeOf(this.#now())} - ${retentionMs} * interval '1 millisecond'`;
    const candidates = await this.#db
      .selectFrom('fairlane_ledger_job')
      .select('job_id')
      .where('touched_at', '<=', before)
      .orderBy('touched_at')
      .limit(limit)
      .execute();
    const jobIds = candidates.map(({ job_id: jobId }) => jobId);
    const needed = new Set(jobIds.length === 0 ? [] : await stillNeeded(jobIds));
    const kept = jobIds.filter((jobId) => needed.has(jobId));
    const gone = jobIds.filter((jobId) => !needed.has(jobId));
    if (kept.length > 0) {
      await this.#db
        .updateTable('fairlane_ledger_job')
        .set({ touched_at: timeOf(this.#now()) })
        .where('job_id', 'in', this.#untouched(kept, before))
        .execute();
    }
    if (gone.length === 0) return { removed: 0, kept: kept.length, more: jobIds.length === limit };
    const { numDeletedRows } = await this.#db
      .deleteFrom('fairlane_ledger_job')
      .where('job_id', 'in', this.#untouched(gone, before))
      .executeTakeFirstOrThrow();
    const removed = Number(numDeletedRows);
    return { removed, kept: jobIds.length - removed, more: jobIds.length === limit };
  }

  async check(): Promise<void> {
    const pending = await pendingMigrations(this.#db);
    if (pending.length > 0) throw new Error(`the ledger's database lacks migrations: ${pending.join(', ')}`);
    // A replica, or a primary that was set so after a failover: it answers, and no effect can be begun.
    const { rows } = await sql<Record<string, string>>`SHOW transaction_read_only`.execute(this.#db);
    if (Object.values(rows[0] ?? {})[0] === 'on') throw new Error("the ledger's database is read-only");
  }

  async close(): Promise<void> {
    await this.#db.destroy();
  }

  async #resolveIn(db: Transaction<LedgerSchema>, request: ResolveRequest): Promise<ResolveReply> {
    const { jobId, name, outcome } = request;
    const externalId = outcome === 'applied' ? (request.externalId ?? null) : null;
    const state = outcome === 'applied' ? 'done' : 'not_applied';
    // The job first, as everywhere.
    await db
      .selectFrom('fairlane_ledger_job')
      .select('fence')
      .where('job_id', '=', jobId)
      .forUpdate()
      .execute();
    const effect = await db
      .selectFrom('fairlane_ledger_effect')
      .select(['state', 'external_id'])
      .where('job_id', '=', jobId)
      .where('name', '=', name)
      .executeTakeFirst();
    if (effect === undefined) return 'no_such_effect';
    if (effect.state === 'done' || effect.state === 'not_applied') {
      return effect.state === state && effect.external_id === externalId ? 'resolved' : 'settled';
    }
    const now = timeOf(this.#now());
    const { fence } = await db
      .updateTable('fairlane_ledger_job')
      .set({ fence: sql`fence + 1`, holder: null, touched_at: now })
      .where('job_id', '=', jobId)
      .returning('fence')
      .executeTakeFirstOrThrow();
    await db
      .updateTable('fairlane_ledger_effect')
      .set({
        state,
        fence,
        kept: state === 'done' ? 'json' : null,
        result: state === 'done' ? resolvedResult(request.externalId) : null,
        external_id: externalId,
        changed_at: now,
      })
      .where('job_id', '=', jobId)
      .where('name', '=', name)
      .execute();
    return 'resolved';
  }

  /** Locked in order and never waited for: two sweeps at once, or a sweep and a claim, cannot deadlock. */
  #untouched(jobIds: readonly string[], before: ReturnType<typeof sql<Date>>) {
    return this.#db
      .selectFrom('fairlane_ledger_job')
      .select('job_id')
      .where('job_id', '=', sql<string>`any(${[...jobIds]}::text[])`)
      .where('touched_at', '<=', before)
      .orderBy('job_id')
      .forUpdate()
      .skipLocked();
  }
}

function readBegun(row: BegunRow): BeginReply {
  const fence = Number(row.fence);
  const { input_hash: inputHash, state } = row;
  if (state === 'done') {
    const { kept, result } = row;
    const isJson = kept === 'json' && result !== null;
    return {
      outcome: 'done',
      fence,
      inputHash,
      result: isJson ? { kept, json: result } : { kept: kept === null || kept === 'json' ? 'nothing' : kept },
    };
  }
  // Started under the holder's fence: just now, or by the same call when its answer was lost.
  if (state === 'started' && row.effect_fence === row.fence) return { outcome: 'perform', fence };
  return {
    outcome: 'unsettled',
    fence,
    inputHash,
    state: state === 'unknown' ? 'unknown' : 'started',
    startedAgoMs: row.started_ago_ms,
    firstStartedAgoMs: row.first_started_ago_ms,
    timeoutMs: Number(row.timeout_ms),
  };
}

/** One parameter, however many there are, and so one plan. */
function anyOf(jobIds: readonly string[]) {
  return sql<string>`any(${[...jobIds]}::text[])`;
}
