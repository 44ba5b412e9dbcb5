import { capacityOf, type WorkerView } from '@fairlane/queue';
import type { AppContext } from '../context.js';
import { readQueue, slotsOf } from '../queues/read-queue.js';
import type { QueueDemand } from './desired-replicas.js';

/** Minutes that the way down looks back. */
export const RECENT_MINUTES = 10;
/** Where no job of the queue has ended within the hour. */
const UNKNOWN_SERVICE_MS = 1_000;
/** Waits that only a person ends: nobody needs to stand by. */
const WAITS_FOR_A_PERSON = new Set(['paused', 'queue_paused']);

/** @throws Problem `unknown_queue` */
export async function readDemand(
  app: AppContext,
  name: string,
  workers: readonly WorkerView[],
): Promise<QueueDemand> {
  const { max } = slotsOf(app, name);
  const [view, series, states] = await Promise.all([
    readQueue(app, name),
    app.statistics.series(name, RECENT_MINUTES),
    app.statistics.states(),
  ]);
  const { counts, lastMinute, lastHour, paused } = view;
  const { workers: serving, maxSlots } = capacityOf(workers, name);
  const held = Object.keys(states.get(name)?.held ?? {});
  const isUpToPeople = held.length > 0 && held.every((reason) => WAITS_FOR_A_PERSON.has(reason));
  return {
    queue: name,
    eligible: paused ? 0 : counts.ready,
    active: counts.active,
    oldestAgeMs: view.oldestEligibleAgeMs,
    startedPerSecond: lastMinute.started / 60,
    peakPerSecond: Math.max(0, ...series.map(({ started }) => started / 60)),
    serviceMs: lastMinute.processingMs.p50 ?? lastHour.processingMs.p50 ?? UNKNOWN_SERVICE_MS,
    slotsPerReplica: serving === 0 ? max : Math.max(1, maxSlots / serving),
    opensLater: !paused && (counts.scheduled + counts.retrying > 0 || (counts.held > 0 && !isUpToPeople)),
  };
}
