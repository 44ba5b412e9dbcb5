import { expect } from 'vitest';
import {
  checkFairness,
  checkInFlight,
  checkRate,
  type Admission,
  type ClaimSpan,
  type FairnessEvent,
  type LimitPeriod,
} from '../../src/invariants.js';
import type { Limits } from '../../src/settings/limits.js';
import type { ModelJob } from './lane-model.js';
import { ACCOUNTS, QUEUES } from './model-steps.js';

type Claim = ClaimSpan & { account: string; group: string };

/** What a run has seen, to be checked against rules R3, R4 and R6 whatever the model says. */
export class ModelHistory {
  private readonly admissions: Admission[] = [];
  private readonly claims: Claim[] = [];
  /** By gate, `<group>:<account>`, and by group for the totals. */
  private readonly periods = new Map<string, LimitPeriod[]>();
  private readonly fairness = new Map<string, FairnessEvent[]>(QUEUES.map((name) => [name, []]));
  private readonly couldRun = new Map<string, ReadonlySet<string>>(QUEUES.map((name) => [name, new Set()]));

  limitsChanged(gate: string, limits: Limits | undefined, nowMs: number): void {
    const before = this.periods.get(gate) ?? [{ from: 0 }];
    this.periods.set(gate, [...before, { from: nowMs, ...limits }]);
  }

  weightChanged(account: string, weight: number): void {
    for (const events of this.fairness.values()) {
      events.push({ kind: 'weight', account, weight });
    }
  }

  /** Accounts of which a job of this queue could run now. */
  eligibleNow(queue: string, accounts: ReadonlySet<string>): void {
    const before = this.couldRun.get(queue)!;
    for (const account of ACCOUNTS) {
      if (accounts.has(account) !== before.has(account)) {
        const kind = accounts.has(account) ? ('eligible' as const) : ('ineligible' as const);
        this.fairness.get(queue)!.push({ kind, account });
      }
    }
    this.couldRun.set(queue, accounts);
  }

  admitted({ id: jobId, account, group, cost, queue }: ModelJob, nowMs: number): ClaimSpan {
    const claim = { jobId, from: nowMs, to: Infinity, account, group };
    this.claims.push(claim);
    this.admissions.push({ at: nowMs, account, group, jobId, cost });
    this.fairness.get(queue)!.push({ kind: 'served', account, cost });
    return claim;
  }

  check(): void {
    for (const events of this.fairness.values()) {
      expect(checkFairness(events, new Map(ACCOUNTS.map((account) => [account, 1])))).toEqual([]);
    }
    for (const [gate, periods] of this.periods) {
      const isOf = ({ account, group }: { account: string; group: string }): boolean =>
        gate === group || gate === `${group}:${account}`;
      expect(checkRate(this.admissions.filter(isOf), periods), `limits of ${gate}`).toEqual([]);
      expect(checkInFlight(this.claims.filter(isOf), periods), `limits of ${gate}`).toEqual([]);
    }
  }
}
