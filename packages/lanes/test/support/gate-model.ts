import type { Limits } from '../../src/settings/limits.js';

/** What a plain account of rules R3 to R5 says of gates: buckets, claims, totals, windows, pauses. */

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
/** Below this many tokens two numbers of them are the same. */
const TOLERANCE = 1e-9;

const burstOf = (limits: Limits): number => limits.burst ?? Math.max(limits.limit ?? 0, 1);

/** Tokens and claims that something may spend: a gate, or the total of a group. */
class Allowance {
  private tokens: number;

  constructor(
    readonly limits: Limits,
    private atMs: number,
    spent = 0,
    /** What the tokens are counted by: these limits, or, where they have no rate, the last ones that had. */
    private readonly rate = limits,
  ) {
    this.tokens = burstOf(rate) - Math.min(spent, burstOf(rate));
  }

  private refill(nowMs: number): void {
    const { limit, perMs } = this.rate;
    if (limit !== undefined) {
      const refilled = this.tokens + ((nowMs - this.atMs) * limit) / perMs!;
      this.tokens = Math.min(burstOf(this.rate), refilled);
    }
    this.atMs = nowMs;
  }

  isOpen(nowMs: number, cost: number, inFlight: number): boolean {
    this.refill(nowMs);
    const { limit, maxInFlight } = this.limits;
    if (maxInFlight !== undefined && inFlight >= maxInFlight) {
      return false;
    }
    return limit === undefined || this.tokens + TOLERANCE >= Math.min(cost, burstOf(this.limits));
  }

  spend(nowMs: number, cost: number): void {
    if (this.limits.limit !== undefined) {
      this.refill(nowMs);
      this.tokens -= Math.min(cost, burstOf(this.limits));
    }
  }

  /** Other limits, or none: what is spent stays spent, also until there is a rate again. */
  changedTo(limits: Limits, nowMs: number): Allowance {
    this.refill(nowMs);
    const spent = this.rate.limit === undefined ? 0 : burstOf(this.rate) - this.tokens;
    return new Allowance(limits, nowMs, spent, limits.limit === undefined ? this.rate : limits);
  }
}

/** Open every day from one minute of the day (UTC) to another, which may be on the next day. */
export interface DailyWindow {
  fromMinute: number;
  toMinute: number;
}

/** Jobs of a gate, or of a whole group, that run. */
export type CountInFlight = (group: string, account?: string) => number;

export class GateModel {
  private readonly gates = new Map<string, Allowance>();
  private readonly totals = new Map<string, Allowance>();
  private readonly closedUntil = new Map<string, number>();
  private readonly windows = new Map<string, DailyWindow>();
  readonly paused = new Set<string>();

  constructor(private readonly inFlight: CountInFlight) {}

  private gate(account: string, group: string): string {
    return `${group}:${account}`;
  }

  private isInWindow(account: string, nowMs: number): boolean {
    const window = this.windows.get(account);
    if (!window) {
      return true;
    }
    const minute = Math.floor(nowMs / MINUTE_MS) % DAY_MINUTES;
    const { fromMinute, toMinute } = window;
    return fromMinute < toMinute
      ? minute >= fromMinute && minute < toMinute
      : minute >= fromMinute || minute < toMinute;
  }

  /** R3, R4, R5 for the account alone. */
  isGateOpen(account: string, group: string, cost: number, nowMs: number): boolean {
    const key = this.gate(account, group);
    return (
      !this.paused.has(account) &&
      (this.closedUntil.get(key) ?? 0) <= nowMs &&
      this.isInWindow(account, nowMs) &&
      (this.gates.get(key)?.isOpen(nowMs, cost, this.inFlight(group, account)) ?? true)
    );
  }

  /** R3, R4 for the group over all accounts. */
  isTotalOpen(group: string, cost: number, nowMs: number): boolean {
    return this.totals.get(group)?.isOpen(nowMs, cost, this.inFlight(group)) ?? true;
  }

  spend(account: string, group: string, cost: number, nowMs: number): void {
    this.gates.get(this.gate(account, group))?.spend(nowMs, cost);
    this.totals.get(group)?.spend(nowMs, cost);
  }

  setLimits(account: string, group: string, limits: Limits | undefined, nowMs: number): void {
    change(this.gates, this.gate(account, group), limits, nowMs);
  }

  setTotal(group: string, limits: Limits | undefined, nowMs: number): void {
    change(this.totals, group, limits, nowMs);
  }

  setWindow(account: string, window: DailyWindow | undefined): void {
    if (window) {
      this.windows.set(account, window);
    } else {
      this.windows.delete(account);
    }
  }

  close(account: string, group: string, untilMs: number): void {
    const key = this.gate(account, group);
    this.closedUntil.set(key, Math.max(this.closedUntil.get(key) ?? 0, untilMs));
  }
}

function change(
  allowances: Map<string, Allowance>,
  key: string,
  limits: Limits | undefined,
  nowMs: number,
): void {
  const before = allowances.get(key);
  allowances.set(key, before?.changedTo(limits ?? {}, nowMs) ?? new Allowance(limits ?? {}, nowMs));
}
