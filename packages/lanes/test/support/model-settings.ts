import type { Lanes } from '../../src/index.js';
import type { LaneModel } from './lane-model.js';
import type { ModelHistory } from './model-history.js';
import { ACCOUNTS, GROUPS, type EdgeWindow, type SettingStep } from './model-steps.js';

const DAY_MINUTES = 1_440;
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

const ofDay = (minute: number): number => (minute + DAY_MINUTES) % DAY_MINUTES;
const clockTime = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

/** Steps that change a setting, made in the lanes and in the model. */
export class ModelSettings {
  constructor(
    private readonly lanes: Lanes,
    private readonly model: LaneModel,
    private readonly history: ModelHistory,
    /** The full minute, since the epoch, at which windows open and close. */
    private readonly edge: number,
  ) {}

  async change(step: SettingStep): Promise<void> {
    const { gates, nowMs } = this.model;
    switch (step.do) {
      case 'limit': {
        const { account, group, limits } = step;
        await (limits
          ? this.lanes.setLimits(account, group, limits)
          : this.lanes.removeLimits(account, group));
        gates.setLimits(account, group, limits, nowMs);
        this.history.limitsChanged(`${group}:${account}`, limits, nowMs);
        break;
      }
      case 'total':
        await this.lanes.setGroup(step.group, step.limits ? { total: step.limits } : {});
        gates.setTotal(step.group, step.limits, nowMs);
        this.history.limitsChanged(step.group, step.limits, nowMs);
        break;
      case 'weight':
        await this.lanes.setAccount(step.account, { weight: step.weight });
        this.history.weightChanged(step.account, step.weight);
        break;
      case 'window':
        await this.setWindow(step.account, step.window);
        break;
      case 'close':
        await (step.until
          ? this.lanes.closeGate(step.account, step.group, nowMs + step.ms)
          : this.lanes.closeGateFor(step.account, step.group, step.ms));
        gates.close(step.account, step.group, nowMs + step.ms);
        break;
      case 'pause':
        await this.lanes.pause(step.account, 'test');
        gates.paused.add(step.account);
        break;
      default:
        await this.lanes.resume(step.account, 'test');
        gates.paused.delete(step.account);
    }
  }

  private async setWindow(account: string, window: EdgeWindow | undefined): Promise<void> {
    if (!window) {
      await this.lanes.setAccount(account, { windows: null });
      this.model.gates.setWindow(account, undefined);
      return;
    }
    const [from, to] = [ofDay(this.edge + window.from), ofDay(this.edge + window.to)];
    const windows = [{ zone: 'UTC', days: EVERY_DAY, from: clockTime(from), to: clockTime(to) }];
    await this.lanes.setAccount(account, { windows });
    this.model.gates.setWindow(account, { fromMinute: from, toMinute: to });
  }

  /** Takes away every limit, window and pause. */
  async clear(): Promise<void> {
    for (const account of ACCOUNTS) {
      await this.change({ do: 'resume', account });
      for (const group of GROUPS) {
        await this.change({ do: 'limit', account, group, limits: undefined });
      }
      await this.change({ do: 'window', account, window: undefined });
    }
    for (const group of GROUPS) {
      await this.change({ do: 'total', group, limits: undefined });
    }
  }
}
