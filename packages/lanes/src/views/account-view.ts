import type { QueueCounts } from './lane-views.js';

/** Why a lane's jobs do not run now; the gate that opens last decides. */
export const HELD_REASONS = [
  'rate_limit',
  'in_flight',
  'window',
  'paused',
  'throttled',
  'group_total',
] as const;

/** One of {@link HELD_REASONS}. */
export type HeldReason = (typeof HELD_REASONS)[number];

/** An account in one limit group, over all queues: what its limits are and how they stand. */
export interface GateView {
  group: string;
  /** The limits that apply, own ones or the group's; null = unlimited. */
  limits: { intervalMs: number | null; burst: number | null; maxInFlight: number | null };
  /** Tokens that could be spent now; null without a rate. */
  tokens: number | null;
  inFlight: number;
  /** When a job of cost 1 can be admitted, ms; absent when it can now or nobody knows. */
  opensAt?: number;
  reason?: HeldReason;
}

/** The waiting jobs of an account in one limit group of one queue. */
export interface LaneView {
  queue: string;
  group: string;
  ready: number;
  held: number;
  /** Age of the oldest job that could run now; null when none could. */
  oldestEligibleAgeMs: number | null;
  /** Age of the oldest waiting job, held or not. */
  oldestWaitingAgeMs: number;
}

/** One account at one moment. Times are ms since the epoch on the Redis server's clock, ages ms. */
export interface AccountView {
  account: string;
  weight: number;
  paused: { by: string; at: number } | null;
  /** The calendar as it was set, or null. */
  windows: unknown;
  /** `delayed` are all delayed jobs: scheduled, retrying, and those held by their consumer. */
  counts: Pick<
    QueueCounts,
    'ready' | 'held' | 'active' | 'scheduled' | 'retrying' | 'delayed' | 'failed' | 'completed' | 'cancelled'
  >;
  gates: GateView[];
  lanes: LaneView[];
  /** When the next delayed job is due or the next held lane may open, ms. */
  nextRunAt: number | null;
  /** Null where it cannot be known. */
  estimatedDrainAt: number | null;
  lastError: { jobId: string; queue: string; message: string; at: number } | null;
  lastCompletedAt: number | null;
}

/** Reply of the command `account`; cjson writes an empty table as an object. */
export interface AccountState {
  now: number;
  weight: number;
  paused: { by: string; at: number } | false;
  /** The calendar as JSON. */
  windows?: string;
  queues: QueueState[] | Record<string, never>;
  gates: Record<string, GateState>;
}

interface QueueState {
  queue: string;
  paused: boolean;
  lanes: { group: string; waiting: number; held: boolean; since?: number }[] | Record<string, never>;
  active: number;
  delayed: number;
  completed: number;
  failed: number;
  cancelled: number;
  /** Delayed jobs that were started before, and those of them that their consumer holds. */
  started: number;
  putOff: number;
  lastFailed?: [reason: string | false, at: string | false, name: string | false];
  lastFailedId?: string;
  lastCompletedAt?: string;
  nextDelayedAt?: number;
}

interface GateState {
  group: string;
  intervalMs?: number;
  depthMs?: number;
  maxInFlight?: number;
  inFlight: number;
  tokens?: number;
  reason?: HeldReason;
  opensAt?: number;
}

function list<T>(value: T[] | Record<string, never>): T[] {
  return Array.isArray(value) ? value : [];
}

function gateView(gate: GateState): GateView {
  const { intervalMs = null, depthMs, maxInFlight = null } = gate;
  const burst = intervalMs !== null && depthMs !== undefined ? depthMs / intervalMs : null;
  return {
    group: gate.group,
    limits: { intervalMs, burst, maxInFlight },
    tokens: gate.tokens ?? null,
    inFlight: gate.inFlight,
    ...(gate.opensAt === undefined ? {} : { opensAt: gate.opensAt }),
    ...(gate.reason === undefined ? {} : { reason: gate.reason }),
  };
}

function earliest(times: (number | undefined)[]): number | null {
  const known = times.filter((time): time is number => time !== undefined);
  return known.length > 0 ? Math.min(...known) : null;
}

/** When the waiting jobs of every gate will have been admitted, where rates alone decide. */
function drainAt(now: number, lanes: LaneView[], gates: GateView[]): number | null {
  let last = now;
  for (const gate of gates) {
    const waiting = lanes
      .filter((lane) => lane.group === gate.group)
      .reduce((sum, lane) => sum + lane.ready + lane.held, 0);
    if (waiting === 0) {
      continue;
    }
    if (gate.limits.intervalMs === null || (gate.reason !== undefined && gate.reason !== 'rate_limit')) {
      return null;
    }
    last = Math.max(last, now + Math.max(0, waiting - (gate.tokens ?? 0)) * gate.limits.intervalMs);
  }
  return lanes.length === 0 ? null : Math.ceil(last);
}

export function accountView(account: string, state: AccountState): AccountView {
  const { now } = state;
  const queues = list(state.queues);
  const gates = Object.values(state.gates)
    .map(gateView)
    .toSorted((one, other) => (one.group < other.group ? -1 : 1));
  const lanes = queues.flatMap((queue) =>
    list(queue.lanes).map((lane): LaneView => {
      const age = Math.max(0, now - (lane.since ?? now));
      return {
        queue: queue.queue,
        group: lane.group,
        ready: lane.held ? 0 : lane.waiting,
        held: lane.held ? lane.waiting : 0,
        oldestEligibleAgeMs: lane.held ? null : age,
        oldestWaitingAgeMs: age,
      };
    }),
  );
  const sum = (count: (queue: QueueState) => number): number =>
    queues.reduce((total, queue) => total + count(queue), 0);
  const errors = queues.flatMap((queue) =>
    queue.lastFailed && queue.lastFailedId !== undefined
      ? [
          {
            jobId: queue.lastFailedId,
            queue: queue.queue,
            message: queue.lastFailed[0] || '',
            at: Number(queue.lastFailed[1] || 0),
          },
        ]
      : [],
  );
  const completions = queues.flatMap((queue) =>
    queue.lastCompletedAt ? [Number(queue.lastCompletedAt)] : [],
  );
  const waitingGroups = new Set(lanes.map((lane) => lane.group));
  return {
    account,
    weight: state.weight,
    paused: state.paused || null,
    windows: state.windows === undefined ? null : JSON.parse(state.windows),
    counts: {
      ready: lanes.reduce((total, lane) => total + lane.ready, 0),
      held: lanes.reduce((total, lane) => total + lane.held, 0) + sum((queue) => queue.putOff),
      active: sum((queue) => queue.active),
      scheduled: sum((queue) => queue.delayed - queue.started),
      retrying: sum((queue) => queue.started - queue.putOff),
      delayed: sum((queue) => queue.delayed),
      failed: sum((queue) => queue.failed),
      completed: sum((queue) => queue.completed),
      cancelled: sum((queue) => queue.cancelled),
    },
    gates,
    lanes,
    nextRunAt: earliest([
      ...queues.map((queue) => queue.nextDelayedAt),
      ...gates.filter((gate) => waitingGroups.has(gate.group)).map((gate) => gate.opensAt),
      ...(lanes.some((lane) => lane.ready > 0) ? [now] : []),
    ]),
    estimatedDrainAt: drainAt(now, lanes, gates),
    lastError: errors.toSorted((one, other) => other.at - one.at)[0] ?? null,
    lastCompletedAt: completions.length > 0 ? Math.max(...completions) : null,
  };
}
