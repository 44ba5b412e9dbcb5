import type { Redis } from 'ioredis';
import { mixedFleet } from '../redis/fleet.js';
import { laneKeys } from '../redis/keys.js';
import { Lanes, type AuditReport, type FinishedState, type Retention } from '../lanes.js';

export interface UpkeepOptions {
  prefix: string;
  /** The queue of this process's worker, watched for plain workers before it has lanes too. */
  queue: string;
  clock: (() => number) | undefined;
  /** How long a claim outlives its lease when its job is gone, ms. */
  patienceMs: number;
  retention: Partial<Record<FinishedState, Retention>> | undefined;
  onTrim: ((queue: string, ids: string[], state: FinishedState) => unknown) | undefined;
  onRepair: ((queue: string, report: AuditReport) => unknown) | undefined;
  onError: (error: unknown) => void;
  /** Adds this process's worker to the fleet of its queue; harmless when it is in it. */
  joinFleet: () => void;
}

const PERIOD_MS = 1_000;
/** One process a period does the upkeep of the whole prefix; the next one may be another. */
const TURN_MS = 900;
const AUDIT_EVERY = 3;
/**
 * Counting the lanes costs one or two commands each: a thousand held ones 1.7 commands a second. Over all processes, or
 * each that starts would begin with it.
 */
const RECOUNT_EVERY = 600;
/** Also how often a fleet that stays mixed is reported. */
const FLEET_EVERY = 10;
/** A worker that lost its place in the fleet, as by FLUSHALL, closes its queue until it has it again. */
const JOIN_EVERY = 30;
const TRIM_EVERY = 5;
const WINDOWS_EVERY = 60;
/** Accounts are looked at for this many commands a time: one for each, and one for each of its queues. */
const FORGET_EVERY = 60;
const FORGET_COMMANDS = 200;
/** Small, since an idle worker shall send few commands however much is held. */
const AUDIT_BATCH = 8;

function emptyReport(): AuditReport {
  return { claimsFreed: 0, claimsAdded: 0, countsCorrected: 0, lanesOpened: 0 };
}

/**
 * Work that any process with a worker does for all queues of the prefix: the audit, windows that
 * run out, retention, the watch for plain workers.
 */
export class Upkeep {
  private readonly lanes: Lanes;
  private readonly cursors = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private turns = 0;
  private ticks = 0;
  private lastAccount = '';
  /** Queues that have been closed to lanes: looked at each turn, so that work goes on at once. */
  private mixed: ReadonlySet<string> = new Set();

  constructor(
    private readonly client: Redis,
    private readonly options: UpkeepOptions,
  ) {
    const { prefix, clock } = options;
    this.lanes = new Lanes({ connection: client, prefix, ...(clock ? { clock } : {}) });
  }

  start(): void {
    this.timer = setInterval(() => {
      this.running ??= this.turn()
        .catch((error: unknown) => this.options.onError(error))
        .finally(() => {
          this.running = undefined;
        });
    }, PERIOD_MS);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private async turn(): Promise<void> {
    if (this.client.status !== 'ready') {
      return;
    }
    this.ticks += 1;
    if (this.ticks % JOIN_EVERY === 0) {
      this.options.joinFleet();
    }
    const keys = laneKeys(this.options.prefix);
    if (!(await this.isFirst(keys.upkeep, TURN_MS))) {
      return;
    }
    const turn = this.turns;
    this.turns += 1;
    if (turn % WINDOWS_EVERY === 0) {
      await this.lanes.refreshWindows();
    }
    const queues = await this.lanes.queues();
    await this.watchFleet(queues, turn % FLEET_EVERY === 0);
    if (turn % FORGET_EVERY === 0) {
      const most = Math.ceil(FORGET_COMMANDS / (1 + queues.length));
      this.lastAccount = (await this.lanes.forgetAccounts(this.lastAccount, most)).cursor;
    }
    const recount =
      turn % RECOUNT_EVERY === 0 && (await this.isFirst(keys.recounted, RECOUNT_EVERY * PERIOD_MS));
    for (const queue of queues) {
      if (turn % AUDIT_EVERY === 0) {
        await this.audit(queue, recount);
      }
      if (turn % TRIM_EVERY === 0) {
        await this.trim(queue);
      }
    }
  }

  /** Whether no process has done this within so many milliseconds. */
  private async isFirst(key: string, ms: number): Promise<boolean> {
    return (await this.client.set(key, '1', 'PX', ms, 'NX')) !== null;
  }

  private async watchFleet(queues: readonly string[], all: boolean): Promise<void> {
    if (all) {
      this.report(await this.lanes.watchFleet(new Set([...queues, this.options.queue])));
    } else if (this.mixed.size > 0) {
      this.mixed = new Set((await this.lanes.watchFleet(this.mixed)).keys());
    }
  }

  private report(found: ReadonlyMap<string, string[]>): void {
    this.mixed = new Set(found.keys());
    for (const [queue, plain] of found) {
      this.options.onError(mixedFleet(queue, plain));
    }
  }

  private async audit(queue: string, recount: boolean): Promise<void> {
    const report = emptyReport();
    const cursor = this.cursors.get(queue) ?? '';
    this.cursors.set(
      queue,
      await this.lanes.auditStep(
        queue,
        recount ? '' : cursor,
        { batch: AUDIT_BATCH, patienceMs: this.options.patienceMs, recount },
        report,
      ),
    );
    if (report.claimsFreed + report.claimsAdded + report.countsCorrected + report.lanesOpened > 0) {
      await this.options.onRepair?.(queue, report);
    }
  }

  private async trim(queue: string): Promise<void> {
    const { retention, onTrim } = this.options;
    for (const state of ['completed', 'failed', 'cancelled'] as const) {
      const kept = retention?.[state];
      if (kept) {
        await this.lanes.trim(queue, state, kept, (ids) => onTrim?.(queue, ids, state));
      }
    }
  }
}
