import { accountView, type AccountState, type AccountView, type HeldReason } from './account-view.js';
import { pageSize, readCursor, writeCursor, type Page } from './cursor.js';
import { listJobs, type JobFilter, type ListedJob } from './job-list.js';
import { checkAccount } from '../settings/lane-options.js';
import { LaneSettings } from '../settings/lane-settings.js';
import {
  listOldestAccounts,
  readLanes,
  type AccountSummary,
  type LanePage,
  type WaitingLane,
} from './oldest-accounts.js';
import { readJobs } from './read-jobs.js';

export type { AccountSummary } from './oldest-accounts.js';

/** Jobs of a queue by state, over all accounts. */
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

/** What a queue's waiting lanes wait for. */
export interface QueueSurvey {
  /** Lanes whose jobs could run now. */
  readonly open: number;
  /** Since when the oldest of their jobs could have run, ms since the epoch; null when there is none. */
  readonly openSince: number | null;
  /** Lanes by what keeps them, and since when (ms since the epoch) the oldest job of them waits. */
  readonly held: Partial<Record<HeldReason, { readonly lanes: number; readonly since: number }>>;
  /** False: there were more lanes than were looked at. */
  readonly isWhole: boolean;
}

/** Lanes looked at in one call of a survey, which takes Redis about two milliseconds. */
const SURVEY_BATCH = 250;

/** Entries of the index of waiting lanes that one look may mend. */
const MAX_MENDED = 20;

/** What can be seen: accounts, queues, jobs. */
export class LaneViews extends LaneSettings {
  /**
   * Settings, gates, lanes and counts of an account, over all queues; one that nobody knows is empty.
   *
   * @throws LaneError `invalid_lane`
   */
  async account(account: string): Promise<AccountView> {
    const reply = await this.run('account', '-', [this.keys.account(checkAccount(account))], [account]);
    return accountView(account, JSON.parse(reply as string) as AccountState);
  }

  /** Queues that have lanes. */
  async queues(): Promise<string[]> {
    return (await this.client.smembers(this.keys.queues)).toSorted();
  }

  /** One call to Redis, however many jobs or accounts there are. */
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
  async oldestLanes(queue: string, count: number): Promise<readonly WaitingLane[]> {
    return (await this.waitingLanes(queue, [count, MAX_MENDED, '', 0, '', ''])).lanes;
  }

  private async waitingLanes(queue: string, args: (string | number)[]): Promise<LanePage> {
    return readLanes((await this.run('oldest', queue, [], args)) as (string | number)[]);
  }

  /** Goes through the waiting lanes of a queue, at most `most` of them, in steps that keep nobody else waiting. */
  async survey(queue: string, most: number): Promise<QueueSurvey> {
    const held: Partial<Record<HeldReason, { lanes: number; since: number }>> = {};
    let open = 0;
    let openSince: number | null = null;
    let cursor = '';
    let met = 0;
    do {
      const reply = (await this.run('survey', queue, [], [cursor, SURVEY_BATCH])) as (string | number)[];
      cursor = String(reply[0]);
      met += Number(reply[1]);
      for (let at = 2; at + 2 < reply.length; at += 3) {
        const [lanes, since] = [Number(reply[at + 1]), Number(reply[at + 2])];
        if (reply[at] === '') {
          open += lanes;
          openSince = Math.min(openSince ?? since, since);
          continue;
        }
        const reason = reply[at] as HeldReason;
        const known = held[reason];
        held[reason] = { lanes: (known?.lanes ?? 0) + lanes, since: Math.min(known?.since ?? since, since) };
      }
    } while (cursor !== '' && met < most);
    return { open, openSince, held, isWhole: cursor === '' };
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
    return listOldestAccounts(
      {
        queues: await this.queues(),
        nowMs: await this.nowMs(),
        from: async (queue, held, { since, skip }, count) =>
          this.waitingLanes(queue, [count, MAX_MENDED, since, skip, '', held ? 'h' : 'r']),
        of: async (queue, accounts) =>
          (await this.waitingLanes(queue, [0, 0, '', 0, JSON.stringify(accounts), ''])).lanes,
      },
      limit,
      cursor,
    );
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
    return listJobs(filter, queues, pageSize(filter.limit), filter.cursor, async (source, by, count) => {
      const { lane = '', at = '', tail = '', ids = [] } = source.place ?? {};
      const args = [source.state, by.kind, by.value, count, lane, at, tail, JSON.stringify(ids)];
      const reply = (await this.run('job-page', source.queue, [], args)) as string[];
      return readJobs(source, reply);
    });
  }
}
