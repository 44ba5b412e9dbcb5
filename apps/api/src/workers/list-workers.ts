import type { WorkerView } from '@fairlane/queue';
import type { z } from 'zod';
import type { Call, Reply } from '../http/route.js';
import type { workerView } from './schemas.js';

/** `GET /v1/workers`: lost and hung ones first. All on one page, since the registry keeps a thousand at most. */
export async function listWorkers({ app }: Call): Promise<Reply> {
  const workers = await app.operations.workers();
  return { status: 200, body: { items: workers.map(presentWorker), cursor: null } };
}

function presentWorker({
  served,
  lastBeatMs,
  jobs,
  handles,
  ...worker
}: WorkerView): z.output<typeof workerView> {
  return {
    ...worker,
    queues: served.map(({ queue }) => queue),
    lastBeat: new Date(lastBeatMs).toISOString(),
    jobs: [...jobs],
    handles: { ...handles },
  };
}
