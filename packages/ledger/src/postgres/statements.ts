import { sql, type RawBuilder } from 'kysely';

import type {
  BeginRequest,
  EffectState,
  KeptResult,
  RecordRequest,
  RepeatRequest,
  WithdrawRequest,
} from '../ledger.js';

/** The server's clock, or the time that a test gives. */
export function timeOf(nowMs: number | undefined): RawBuilder<Date> {
  return nowMs === undefined ? sql`clock_timestamp()` : sql`to_timestamp(${nowMs}::double precision / 1000)`;
}

export interface BegunRow {
  /** The holder's. */
  fence: string;
  state: EffectState;
  /** The fence under which the effect was started. */
  effect_fence: string;
  input_hash: string;
  kept: KeptResult['kept'] | null;
  result: string | null;
  timeout_ms: string;
  started_ago_ms: number;
  first_started_ago_ms: number;
}

/**
 * Claims the job unless it is held, and starts the effect where it is not applied: one statement, so one
 * transaction and one round trip, and nothing that a session would have to remember. No row: the fence is stale.
 *
 * The claim locks the job's row, so all statements about one job take turns. The effect is written even where it
 * stays as it is: `on conflict` sees the latest version of a row, while a plain `select` would read the snapshot
 * from before the wait for the lock.
 */
export function begin(request: BeginRequest, nowMs: number | undefined): RawBuilder<BegunRow> {
  const { jobId, name, inputHash, timeoutMs } = request;
  const isFree = sql`effect.state = 'not_applied'`;
  const ifFree = (
    column:
      | 'state'
      | 'fence'
      | 'first_started_at'
      | 'started_at'
      | 'timeout_ms'
      | 'input_hash'
      | 'changed_at',
  ) =>
    sql`${sql.ref(column)} = case when ${isFree} then ${sql.ref(`excluded.${column}`)} else ${sql.ref(`effect.${column}`)} end`;
  return sql<BegunRow>`
    with clock as materialized (select ${timeOf(nowMs)} as now),
    claim as (${claim(request)}),
    begun as (
      insert into fairlane_ledger_effect as effect
        (job_id, name, state, fence, first_started_at, started_at, timeout_ms, input_hash, changed_at)
      select ${jobId}, ${name}, 'started', claim.fence, clock.now, clock.now, ${timeoutMs}, ${inputHash}, clock.now
      from claim, clock
      on conflict (job_id, name) do update set
        ${ifFree('state')}, ${ifFree('fence')}, ${ifFree('first_started_at')}, ${ifFree('started_at')},
        ${ifFree('timeout_ms')}, ${ifFree('input_hash')}, ${ifFree('changed_at')}
      returning effect.*
    )
    select
      claim.fence, begun.state, begun.fence as effect_fence, begun.input_hash, begun.kept, begun.result,
      begun.timeout_ms, ${agoMs('started_at')} as started_ago_ms, ${agoMs('first_started_at')} as first_started_ago_ms
    from begun, claim, clock`;
}

function claim({ jobId, holder, fence }: BeginRequest): RawBuilder<unknown> {
  if (fence !== undefined) {
    return sql`
      update fairlane_ledger_job as job set touched_at = clock.now from clock
      where job.job_id = ${jobId} and job.fence = ${fence}
      returning job.fence`;
  }
  return sql`
    insert into fairlane_ledger_job as job (job_id, fence, holder, touched_at)
    select ${jobId}, 1, ${holder}, clock.now from clock
    on conflict (job_id) do update set
      fence = case when job.holder = excluded.holder then job.fence else job.fence + 1 end,
      holder = excluded.holder,
      touched_at = excluded.touched_at
    returning job.fence`;
}

/** Never below 0, though the server's clock may have been set back. */
function agoMs(column: 'started_at' | 'first_started_at'): RawBuilder<number> {
  return sql`greatest(0, round(extract(epoch from clock.now - ${sql.ref(`begun.${column}`)}) * 1000))::double precision`;
}

/** The job's row, locked, if the fence is still the holder's. */
function holding(jobId: string, fence: number): RawBuilder<unknown> {
  return sql`select fence from fairlane_ledger_job where job_id = ${jobId} and fence = ${fence} for update`;
}

/** Takes a start back whose holder was never told of it. No row: there is nothing to take back. */
export function withdraw(
  { jobId, holder, name }: WithdrawRequest,
  nowMs: number | undefined,
): RawBuilder<{ name: string }> {
  return sql<{ name: string }>`
    with clock as materialized (select ${timeOf(nowMs)} as now),
    holding as (
      select fence from fairlane_ledger_job where job_id = ${jobId} and holder = ${holder} for update
    )
    update fairlane_ledger_effect as effect set state = 'not_applied', changed_at = clock.now
    from clock, holding
    where effect.job_id = ${jobId} and effect.name = ${name} and effect.state = 'started'
      and effect.fence = holding.fence
    returning effect.name`;
}

/** Starts an unsettled effect again. No row: the fence is stale. */
export function repeat(request: RepeatRequest, nowMs: number | undefined): RawBuilder<{ name: string }> {
  const { jobId, fence, name, inputHash, timeoutMs, keepAge } = request;
  return sql<{ name: string }>`
    with clock as materialized (select ${timeOf(nowMs)} as now),
    holding as (${holding(jobId, fence)})
    update fairlane_ledger_effect as effect set
      state = 'started', fence = holding.fence, started_at = clock.now, timeout_ms = ${timeoutMs},
      first_started_at = case when ${keepAge} then effect.first_started_at else clock.now end,
      input_hash = ${inputHash}, changed_at = clock.now
    from clock, holding
    where effect.job_id = ${jobId} and effect.name = ${name} and effect.state <> 'done'
    returning effect.name`;
}

/** Keeps how an effect ended, unless it is done. No row: the fence is stale. */
export function record(request: RecordRequest, nowMs: number | undefined): RawBuilder<{ name: string }> {
  const { jobId, fence, name, outcome } = request;
  const result = outcome.state === 'done' ? outcome.result : undefined;
  const values = {
    state: outcome.state,
    fence,
    kept: result?.kept ?? null,
    result: result?.kept === 'json' ? result.json : null,
    external_id: (outcome.state === 'done' ? outcome.externalId : undefined) ?? null,
  };
  const unlessDone = (column: keyof typeof values, type: 'text' | 'bigint' = 'text') =>
    sql`${sql.ref(column)} = case when effect.state = 'done' then ${sql.ref(`effect.${column}`)}
      else ${values[column]}::${sql.raw(type)} end`;
  return sql<{ name: string }>`
    with clock as materialized (select ${timeOf(nowMs)} as now),
    holding as (${holding(jobId, fence)})
    update fairlane_ledger_effect as effect set
      ${unlessDone('state')}, ${unlessDone('fence', 'bigint')}, ${unlessDone('kept')}, ${unlessDone('result')},
      ${unlessDone('external_id')},
      changed_at = case when effect.state = 'done' then effect.changed_at else clock.now end
    from clock, holding
    where effect.job_id = ${jobId} and effect.name = ${name}
    returning effect.name`;
}
