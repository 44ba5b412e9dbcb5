import { setTimeout as delay } from 'node:timers/promises';

import type { ApiClient } from './api-client.js';
import type { RunRecord } from './run-record.js';

const BATCH = 64;
const IDLE_MS = { least: 200, most: 1_000 };
const STALLED_MS = 5 * 60_000;

/**
 * Asks for jobs until each has ended. Those asked longest ago come first, and when few of a batch have
 * ended it rests, so that watching takes little from what is watched. Gives up when nothing ends for five
 * minutes: what is still open then is reported as lost.
 */
export async function watchJobs(api: ApiClient, record: RunRecord, signal: AbortSignal): Promise<void> {
  let lastEnd = performance.now();
  let idleMs = IDLE_MS.least;
  for (;;) {
    const ids = record.takeOpen(BATCH);
    if (ids.length === 0 && record.enqueued) return;
    const views = await Promise.all(ids.map(async (id) => ({ id, view: await api.job(id) })));
    const ended = views.filter(({ id, view }) => record.seen(id, view)).length;

    if (ended > 0 || !record.enqueued) lastEnd = performance.now();
    if (performance.now() - lastEnd > STALLED_MS) return;
    if (ended * 2 >= BATCH) idleMs = IDLE_MS.least;
    else {
      await delay(idleMs, undefined, { signal });
      idleMs = Math.min(2 * idleMs, IDLE_MS.most);
    }
  }
}
