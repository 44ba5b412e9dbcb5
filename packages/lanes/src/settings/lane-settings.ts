import { LaneError } from '../errors.js';
import { groupArguments } from './groups.js';
import { LaneClient } from '../redis/lane-client.js';
import { checkAccount, checkGroup } from './lane-options.js';
import { checkLimits, type GroupLimits, type Limits } from './limits.js';
import { HORIZON_DAYS, openIntervals, type Window } from './windows.js';

/** An account is served again after cost / weight: a slip far below would keep it from its turn long after it is mended. */
const MIN_WEIGHT = 0.001;
const MAX_WEIGHT = 1_000_000;
const DAY_MS = 86_400_000;
const MAX_CALENDARS_A_RUN = 100;

function encode(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

/** What can be set: limits, weights, windows, pauses. Changes hold at once in every queue and worker. */
export class LaneSettings extends LaneClient {
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
      [],
      [checkAccount(account), checkGroup(group), encode(intervalMs), encode(depthMs), encode(maxInFlight)],
    );
  }

  /** Back to the defaults of the group, or to no limit. */
  async removeLimits(account: string, group: string): Promise<void> {
    await this.run('set-limits', '-', [], [checkAccount(account), checkGroup(group), '', '', '']);
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
    if (weight !== undefined && !(weight >= MIN_WEIGHT && weight <= MAX_WEIGHT)) {
      throw new LaneError(
        'invalid_weight',
        `A weight must be from ${MIN_WEIGHT} to ${MAX_WEIGHT}; got ${String(weight)}.`,
      );
    }
    const nowMs = await this.nowMs();
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
      await this.nowMs(),
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

  /** Lets the jobs of a paused account go on. False when it was not paused. */
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
    const args = [checkAccount(account), checkGroup(group), Math.ceil(ms), relative];
    return Number(await this.run('close-gate', '-', [], args));
  }
}
