import type { Redis } from 'ioredis';
import { accountView, type AccountState, type AccountView } from './account-view.js';
import { defineOwnCommands, openClient, runOwn, type LaneConnection, type OwnCommand } from './connection.js';
import { pageSize, readCursor, writeCursor, type Page } from './cursor.js';
import { LaneError } from './errors.js';
import { listJobs, type JobFilter, type ListedJob, type ListedState } from './job-list.js';
import { groupArguments } from './groups.js';
import { laneKeys, type LaneKeys } from './keys.js';
import { checkAccount, checkGroup } from './lane-options.js';
import { checkLimits, type GroupLimits, type Limits } from './limits.js';
import { mixedFleet, plainWorkers } from './fleet.js';
import { HORIZON_DAYS, openIntervals, type Window } from './windows.js';

export interface LanesOptions {
  /** A client (left open by `close`), its options or a URL. */
  connection: LaneConnection;
  /** The BullMQ prefix whose lanes are meant. Default: `bull`. */
  prefix?: string;
  /** For tests: the time in ms that scripts decide by, instead of the Redis server's clock. */
  clock?: () => number;
}

export interface QueueCounts {
  ready: number;
  /** In closed lanes, or put off by their consumer with a reason. */
  held: number;
  active: number;
  /** Delayed and never started. */
  scheduled: number;
  /** Delayed after an attempt. */
  retrying: number;
  /** All delayed jobs: scheduled, retrying, and held by their consumer. */
  delayed: number;
  failed: number;
  completed: number;
  cancelled: number;
  paused: boolean;
  heldLanes: number;
}

export interface AccountSummary {
  account: string;
  /** Waiting jobs in the lanes that were looked at. */
  waiting: number;
  /** Age of the oldest job that could run now; null when all are held. */
  oldestEligibleAgeMs: number | null;
  oldestWaitingAgeMs: number;
}

export interface AuditReport {
  claimsFreed: number;
  claimsAdded: number;
  countsCorrected: number;
  lanesOpened: number;
}

export type FinishedState = 'completed' | 'failed' | 'cancelled';

export interface Retention {
  /** Finished jobs older than this go. */
  ageMs: number;
  /** At most this many stay. */
  count?: number;
}

const MAX_WEIGHT = 1_000_000;
const DAY_MS = 86_400_000;
const TRIM_BATCH = 1_000;
const AUDIT_BATCH = 100;
/** Entries of the index of waiting lanes that one look may mend. */
const MAX_MENDED = 20;
const ADOPT_BATCH = 500;
const MAX_CALENDARS_A_RUN = 100;

function encode(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

/**
 * Settings, views and upkeep of the lanes of one prefix. Changes hold at once in every queue and
 * worker of the prefix.
 */
export class Lanes {
  private readonly client: Redis;
  private readonly owned: boolean;
  private readonly prefix: string;
  private readonly keys: LaneKeys;
  private readonly clock: (() => number) | undefined;

  constructor(options: LanesOptions) {
    this.prefix = options.prefix ?? 'bull';
    this.keys = laneKeys(this.prefix);
    this.clock = options.clock;
    const { client, owned } = openClient(options.connection);
    this.client = client;
    this.owned = owned;
    defineOwnCommands(client);
  }

  /** Runs a command of our own; `queue` '-' stands for none in particular. */
  private run(
    command: OwnCommand,
    queue: string,
    keys: string[],
    args: (string | number)[],
  ): Promise<unknown> {
    const time = this.clock ? String(this.clock()) : '';
    return runOwn(this.client, command, this.keys.base(queue), keys, args, time);
  }

  private nowMs(): number {
    return this.clock ? this.clock() : Date.now();
  }

  /**
   * Sets the limits of one gate. Tokens that are spent stay spent, and jobs that run already count
   * as in flight.
   *
   * @throws LaneError `invalid_lane`, `invalid_limits`
   */
  async setLimits(account: string, group: string, limits: Limits): Promise<void> {
    const { intervalMs, depthMs, maxInFlight } = checkLimits(limits);
    await this.run(
      'set-limits',
      '-',
      [this.keys.account(checkAccount(account))],
      [account, checkGroup(group), encode(intervalMs), encode(depthMs), encode(maxInFlight)],
    );
  }

  /** Back to the defaults of the group, or to no limit. */
  async removeLimits(account: string, group: string): Promise<void> {
    await this.run(
      'set-limits',
      '-',
      [this.keys.account(checkAccount(account))],
      [account, checkGroup(group), '', '', ''],
    );
  }

  /** Declares a group's default limits and its total over all accounts. */
  async setGroup(group: string, limits: GroupLimits): Promise<boolean> {
    return (
      (await this.run(
        'set-group',
        '-',
        [this.keys.group(checkGroup(group))],
        groupArguments(group, limits),
      )) === 1
    );
  }

  /**
   * Sets an account's share of a queue or the hours its jobs may start in.
   *
   * @throws LaneError `invalid_weight`, `invalid_windows`
   */
  async setAccount(account: string, settings: { weight?: number; windows?: Window[] | null }): Promise<void> {
    checkAccount(account);
    const { weight, windows } = settings;
    if (weight !== undefined && !(Number.isFinite(weight) && weight > 0 && weight <= MAX_WEIGHT)) {
      throw new LaneError(
        'invalid_weight',
        `A weight must be above 0 and at most ${MAX_WEIGHT}; got ${String(weight)}.`,
      );
    }
    const nowMs = this.nowMs();
    let intervals = '';
    if (windows === null) {
      intervals = 'null';
    } else if (windows !== undefined) {
      intervals = JSON.stringify(openIntervals(windows, nowMs));
    }
    await this.run(
      'set-account',
      '-',
      [this.keys.account(account), this.keys.windows(account), this.keys.calendars],
      [
        account,
        encode(weight),
        intervals,
        windows ? JSON.stringify(windows) : '',
        nowMs + (HORIZON_DAYS / 2) * DAY_MS,
      ],
    );
  }

  /** Computes the windows of calendars anew that are past half of their horizon; how many. */
  async refreshWindows(): Promise<number> {
    const due = await this.client.zrangebyscore(
      this.keys.calendars,
      '-inf',
      this.nowMs(),
      'LIMIT',
      0,
      MAX_CALENDARS_A_RUN,
    );
    for (const account of due) {
      const calendar = await this.client.hget(this.keys.account(account), 'cal');
      if (calendar === null) {
        await this.client.zrem(this.keys.calendars, account);
      } else {
        await this.setAccount(account, { windows: JSON.parse(calendar) as Window[] });
      }
    }
    return due.length;
  }

  /** Holds all jobs of an account; running ones go on. False when it was paused already. */
  async pause(account: string, by: string): Promise<boolean> {
    return this.setPaused(account, true, by);
  }

  async resume(account: string, by: string): Promise<boolean> {
    return this.setPaused(account, false, by);
  }

  private async setPaused(account: string, paused: boolean, by: string): Promise<boolean> {
    const keys = [this.keys.account(checkAccount(account)), this.keys.pauses];
    return (await this.run('set-paused', '-', keys, [account, paused ? '1' : '0', by])) === 1;
  }

  /**
   * Closes a gate until a time on the server's clock, such as a remote Retry-After asks for; of two
   * closings the later one counts. Returns until when it is closed.
   */
  async closeGate(account: string, group: string, untilMs: number): Promise<number> {
    return this.close_(account, group, untilMs, '0');
  }

  /** As `closeGate`, for a duration from now. */
  async closeGateFor(account: string, group: string, durationMs: number): Promise<number> {
    return this.close_(account, group, durationMs, '1');
  }

  private async close_(account: string, group: string, ms: number, relative: '0' | '1'): Promise<number> {
    if (!Number.isFinite(ms) || ms < 0) {
      throw new LaneError('invalid_limits', `A gate closes until a time in ms; got ${String(ms)}.`);
    }
    const keys = [this.keys.account(checkAccount(account))];
    return Number(
      await this.run('close-gate', '-', keys, [account, checkGroup(group), Math.ceil(ms), relative]),
    );
  }

  async account(account: string): Promise<AccountView> {
    const reply = await this.run('account', '-', [this.keys.account(checkAccount(account))], [account]);
    return accountView(account, JSON.parse(reply as string) as AccountState);
  }

  /** Queues that have lanes. */
  async queues(): Promise<string[]> {
    return (await this.client.smembers(this.keys.queues)).toSorted();
  }

  async queueCounts(queue: string): Promise<QueueCounts> {
    const reply = (await this.run('queue', queue, [], [])) as number[];
    const [ready = 0, held = 0, active = 0, delayed = 0, failed = 0, completed = 0] = reply;
    const [paused = 0, heldLanes = 0, cancelled = 0, started = 0, putOff = 0] = reply.slice(6);
    return {
      ready,
      held: held + putOff,
      active,
      scheduled: delayed - started,
      retrying: started - putOff,
      delayed,
      failed,
      completed,
      cancelled,
      paused: paused === 1,
      heldLanes,
    };
  }

  /** Lanes of a queue whose oldest waiting job waits longest. */
  async oldestLanes(
    queue: string,
    count: number,
  ): Promise<{ account: string; group: string; since: number; waiting: number; held: boolean }[]> {
    const flat = (await this.run('oldest', queue, [], [count, MAX_MENDED])) as (string | number)[];
    const lanes = [];
    for (let at = 0; at + 3 < flat.length; at += 4) {
      const lane = String(flat[at]);
      const colon = lane.indexOf(':');
      lanes.push({
        group: lane.slice(0, colon),
        account: lane.slice(colon + 1),
        since: Number(flat[at + 1]),
        waiting: Number(flat[at + 2]),
        held: flat[at + 3] === '1',
      });
    }
    return lanes;
  }

  /**
   * Accounts with a backlog, the longest waiting first; with `search`, accounts whose name begins
   * with it, by name, with a backlog or without.
   */
  async accounts(
    options: { search?: string; limit?: number; cursor?: string } = {},
  ): Promise<Page<AccountSummary>> {
    const limit = pageSize(options.limit);
    return options.search === undefined
      ? this.oldestAccounts(limit, options.cursor)
      : this.searchAccounts(options.search, limit, options.cursor);
  }

  private async oldestAccounts(limit: number, cursor: string | undefined): Promise<Page<AccountSummary>> {
    const offset = Number(readCursor(cursor) ?? 0);
    const wanted = offset + limit + 1;
    const nowMs = this.nowMs();
    const byAccount = new Map<string, AccountSummary>();
    for (const queue of await this.queues()) {
      for (const lane of await this.oldestLanes(queue, wanted)) {
        const age = Math.max(0, nowMs - lane.since);
        const known = byAccount.get(lane.account);
        const eligible = lane.held ? null : age;
        byAccount.set(lane.account, {
          account: lane.account,
          waiting: (known?.waiting ?? 0) + lane.waiting,
          oldestWaitingAgeMs: Math.max(known?.oldestWaitingAgeMs ?? 0, age),
          oldestEligibleAgeMs:
            eligible === null
              ? (known?.oldestEligibleAgeMs ?? null)
              : Math.max(known?.oldestEligibleAgeMs ?? 0, eligible),
        });
      }
    }
    const sorted = [...byAccount.values()].toSorted(
      (one, other) =>
        (other.oldestEligibleAgeMs ?? -1) - (one.oldestEligibleAgeMs ?? -1) ||
        other.oldestWaitingAgeMs - one.oldestWaitingAgeMs,
    );
    const items = sorted.slice(offset, offset + limit);
    return { items, cursor: sorted.length > offset + limit ? writeCursor(offset + limit) : null };
  }

  private async searchAccounts(
    search: string,
    limit: number,
    cursor: string | undefined,
  ): Promise<Page<AccountSummary>> {
    const after = readCursor(cursor) as string | undefined;
    const from = after === undefined ? `[${search}` : `(${after}`;
    const names = await this.client.zrange(
      this.keys.accounts,
      from,
      `[${search}\xff`,
      'BYLEX',
      'LIMIT',
      0,
      limit,
    );
    const items = await Promise.all(
      names
        .filter((name) => name.startsWith(search) && name !== '')
        .map(async (name) => {
          const { lanes } = await this.account(name);
          const eligible = lanes.flatMap((lane) =>
            lane.oldestEligibleAgeMs === null ? [] : [lane.oldestEligibleAgeMs],
          );
          return {
            account: name,
            waiting: lanes.reduce((sum, lane) => sum + lane.ready + lane.held, 0),
            oldestEligibleAgeMs: eligible.length > 0 ? Math.max(...eligible) : null,
            oldestWaitingAgeMs: Math.max(0, ...lanes.map((lane) => lane.oldestWaitingAgeMs)),
          };
        }),
    );
    return { items, cursor: names.length === limit ? writeCursor(names.at(-1)) : null };
  }

  /** Jobs, newest first. */
  async jobs(filter: JobFilter & { limit?: number; cursor?: string } = {}): Promise<Page<ListedJob>> {
    const queues = filter.queue === undefined ? await this.queues() : [filter.queue];
    return listJobs(
      filter,
      queues,
      pageSize(filter.limit),
      filter.cursor,
      async (source, by, offset, count) => {
        const reply = (await this.run(
          'job-page',
          source.queue,
          [],
          [source.state, by.kind, by.value, offset, count],
        )) as string[];
        return readJobs(source, reply);
      },
    );
  }

  /**
   * Goes through the claims, running jobs and held lanes of all queues once and repairs what has
   * drifted, in either direction. Workers do this by themselves; here it is done at once.
   */
  async audit(options: { patienceMs: number }): Promise<AuditReport> {
    const report = { claimsFreed: 0, claimsAdded: 0, countsCorrected: 0, lanesOpened: 0 };
    for (const queue of await this.queues()) {
      let cursor = '';
      do {
        cursor = await this.auditStep(
          queue,
          cursor,
          { batch: AUDIT_BATCH, recount: true, ...options },
          report,
        );
      } while (cursor !== '');
    }
    return report;
  }

  /** One bounded step of the audit of a queue; the next cursor, '' at the end. */
  async auditStep(
    queue: string,
    cursor: string,
    { batch, patienceMs, recount }: { batch: number; patienceMs: number; recount: boolean },
    report: AuditReport,
  ): Promise<string> {
    const reply = await this.run('audit', queue, [], [cursor, batch, patienceMs, recount ? '1' : '0']);
    const [next, freed, added, corrected, opened] = reply as [string, number, number, number, number];
    report.claimsFreed += freed;
    report.claimsAdded += added;
    report.countsCorrected += corrected;
    report.lanesOpened += opened;
    return next;
  }

  /**
   * Removes finished jobs of a queue past their retention, in batches. `onTrim` hears the ids of each batch before
   * they are gone; when it fails they stay.
   */
  async trim(
    queue: string,
    state: FinishedState,
    retention: Retention,
    onTrim?: (ids: string[]) => unknown,
  ): Promise<number> {
    let removed = 0;
    let ids: string[];
    do {
      const before = this.nowMs() - retention.ageMs;
      ids = (await this.run(
        'expired',
        queue,
        [],
        [state, before, encode(retention.count), TRIM_BATCH],
      )) as string[];
      if (ids.length > 0) {
        await onTrim?.(ids);
        removed += Number(await this.run('trim', queue, [], [state, ...ids]));
      }
    } while (ids.length === TRIM_BATCH);
    return removed;
  }

  /**
   * Takes a live plain queue over: first replace its workers by workers with lanes, then call this.
   * Returns how many jobs were moved or indexed.
   *
   * @throws LaneError `mixed_fleet` while plain workers of the queue are connected
   */
  async adoptQueue(queue: string): Promise<number> {
    await this.refuseMixedFleet(queue);
    let cursor = '';
    let moved = 0;
    do {
      const [next, count] = (await this.run('adopt', queue, [], [ADOPT_BATCH, cursor])) as [string, number];
      cursor = next;
      moved += count;
    } while (cursor !== '');
    return moved;
  }

  /**
   * Hands a queue back to plain BullMQ. Pause the queue and let its active jobs finish first.
   *
   * @throws LaneError `mixed_fleet` when the queue is not paused or jobs are active
   */
  async releaseQueue(queue: string): Promise<void> {
    let left: number;
    do {
      left = Number(await this.run('hand-back', queue, [], [ADOPT_BATCH]));
      if (left < 0) {
        const reason = left === -1 ? 'is not paused' : 'has active jobs';
        throw new LaneError(
          'mixed_fleet',
          `The queue ${queue} ${reason}. Pause it, let its jobs finish, then release it.`,
        );
      }
    } while (left > 0);
    await this.deleteIndexes(queue);
  }

  private async deleteIndexes(queue: string): Promise<void> {
    let cursor = '0';
    do {
      const [next, keys] = await this.client.scan(
        cursor,
        'MATCH',
        `${escapeGlob(this.keys.queue(queue))}:x:*`,
        'COUNT',
        500,
      );
      cursor = next;
      if (keys.length > 0) {
        await this.client.unlink(...keys);
      }
    } while (cursor !== '0');
  }

  /** Names of plain workers (without lanes) that are connected to a queue. */
  plainWorkers(queue: string): Promise<string[]> {
    return plainWorkers(this.client, this.prefix, queue);
  }

  private async refuseMixedFleet(queue: string): Promise<void> {
    const plain = await this.plainWorkers(queue);
    if (plain.length > 0) {
      throw mixedFleet(queue, plain);
    }
  }

  async close(): Promise<void> {
    if (this.owned) {
      await this.client.quit();
    }
  }
}

function escapeGlob(text: string): string {
  return text.replaceAll(/[*?[\]\\]/g, String.raw`\$&`);
}

const FIELDS_A_JOB = 9;

function readJobs(source: { queue: string; state: string }, reply: string[]): (ListedJob | undefined)[] {
  const jobs: (ListedJob | undefined)[] = [];
  for (let at = 1; at < reply.length; at += FIELDS_A_JOB) {
    const [id, state, name, lane, tag, timestamp, attempts, processed, finished] = reply.slice(
      at,
      at + FIELDS_A_JOB,
    ) as [string, string, string, string, string, string, string, string, string];
    if (name === '') {
      jobs.push(undefined);
      continue;
    }
    const colon = lane.indexOf(':');
    jobs.push({
      id,
      queue: source.queue,
      name,
      account: lane === '' ? '' : lane.slice(colon + 1),
      group: lane === '' ? 'default' : lane.slice(0, colon),
      ...(tag === '' ? {} : { tag }),
      state: state as ListedState,
      createdAt: Number(timestamp),
      attempts: Number(attempts || 0),
      ...(processed === '' ? {} : { processedAt: Number(processed) }),
      ...(finished === '' ? {} : { finishedAt: Number(finished) }),
    });
  }
  return jobs;
}

/** Opens the settings, views and upkeep of a prefix. */
export function createLanes(options: LanesOptions): Lanes {
  return new Lanes(options);
}
