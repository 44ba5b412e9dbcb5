import type { Worker } from '../../api/types.js';
import { apiPath } from '../../frame/paths.js';
import { useApi } from '../../live/use-api.js';
import { DataView } from '../../parts/data-view.js';
import { WorkerTable } from './worker-table.js';

/** A worker that hangs or is lost is known by what it does not do: there is no event to wait for. */
const everyMs = 1_500;

export function WorkersPage() {
  const query = useApi<{ items: Worker[] }>(apiPath(['workers']), { everyMs });
  return (
    <>
      <h1>Workers</h1>
      <DataView query={query} what="the workers">
        {({ items }) => (items.length === 0 ? <NoWorker /> : <WorkerTable workers={items} />)}
      </DataView>
    </>
  );
}

function NoWorker() {
  return (
    <div className="empty">
      <p>No worker has reported itself.</p>
      <ul>
        <li>Is a worker process running, and is its readiness check green?</li>
        <li>Do its REDIS_URL and FAIRLANE_PREFIX match those of the API?</li>
        <li>What does its log say at the end?</li>
      </ul>
    </div>
  );
}
