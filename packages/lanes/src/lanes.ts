import { LaneError } from './errors.js';
import { laneWorkers, mixedFleet, plainWorkers, settledPlainWorkers } from './redis/fleet.js';
import type { LanesOptions } from './redis/lane-client.js';
import { LaneViews } from './views/lane-views.js';

/** How many repairs an audit has made; all 0 where nothing had drifted. */
export interface AuditReport {
  claimsFreed: number;
  claimsAdded: number;
  countsCorrected: number;
  lanesOpened: number;
}

/** The ends of a job that are kept. */
export type FinishedState = 'completed' | 'failed' | 'cancelled';

/** How long finished jobs stay; what passes either bound goes. */
export interface Retention {
  /** Finished jobs older than this go. */
  ageMs: number;
  /** At most this many stay. */
  count?: number;
}

const TRIM_BATCH = 1_000;
const AUDIT_BATCH = 100;
const ADOPT_BATCH = 500;

/**
 * Settings, views and upkeep of the lanes of one prefix. Changes hold at once in every queue and
 * worker of the prefix.
 */
export class Lanes extends LaneViews {
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

  /**
   * One bounded step through the accounts by name, after `cursor`: those without jobs, settings and a
   * bucket used within a day are forgotten. The next cursor, '' at the end, and how many.
   */
  async forgetAccounts(cursor: string, most: number): Promise<{ cursor: string; forgotten: number }> {
    const reply = await this.run('forget-accounts', '-', [], [cursor, most]);
    const [next, forgotten] = reply as [string, number];
    return { cursor: next, forgotten };
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
    const before = (await this.nowMs()) - retention.ageMs;
    let removed = 0;
    let ids: string[];
    do {
      ids = (await this.run(
        'expired',
        queue,
        [],
        [state, before, retention.count ?? '', TRIM_BATCH],
      )) as string[];
      if (ids.length > 0) {
        await onTrim?.(ids);
        removed += Number(await this.run('trim', queue, [], [state, ...ids]));
      }
    } while (ids.length === TRIM_BATCH);
    return removed;
  }

  /**
   * Takes a live plain queue over: first stop its plain workers, then call this. A worker that has connected within
   * the last five seconds is waited for, since it may still turn out to be one with lanes.
   * Returns how many jobs were moved or indexed.
   *
   * @throws LaneError `mixed_fleet` while plain workers of the queue are connected
   */
  async adoptQueue(queue: string): Promise<number> {
    const plain = await settledPlainWorkers(this.client, this.prefix, queue);
    if (plain.length > 0) {
      throw mixedFleet(queue, plain);
    }
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
   * Hands a queue back to plain BullMQ. Pause it, let its active jobs finish and close its workers first: one with
   * lanes that stays would take the queue back.
   *
   * @throws LaneError `mixed_fleet` when the queue is not paused, jobs are active or workers with lanes are connected
   */
  async releaseQueue(queue: string): Promise<void> {
    const workers = await laneWorkers(this.client, this.prefix, queue);
    if (workers.length > 0) {
      const names = workers.join(', ');
      throw new LaneError(
        'mixed_fleet',
        `The queue ${queue} has workers with lanes (${names}), which would take it back. Pause it, let its jobs finish, close them, then release it.`,
      );
    }
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
  async plainWorkers(queue: string): Promise<string[]> {
    return (await plainWorkers(this.client, this.prefix, [queue])).get(queue) ?? [];
  }

  /**
   * Looks for plain workers of these queues: where there are some nothing is admitted until a later
   * look finds none. Workers with lanes do this by themselves. Names by queue, those without left out.
   */
  async watchFleet(queues: Iterable<string>): Promise<Map<string, string[]>> {
    const all = [...queues];
    const found = await plainWorkers(this.client, this.prefix, all);
    for (const queue of all) {
      await this.run('set-fleet', queue, [], [found.has(queue) ? '1' : '0']);
    }
    return found;
  }
}

function escapeGlob(text: string): string {
  return text.replaceAll(/[*?[\]\\]/g, String.raw`\$&`);
}
/** Opens the settings, views and upkeep of a prefix. */
export function createLanes(options: LanesOptions): Lanes {
  return new Lanes(options);
}
