import { write } from '../../api/client.js';
import { isOperator } from '../../api/session.js';
import type { Job } from '../../api/types.js';
import { Link } from '../../frame/link.js';
import { apiPath, hrefOf, useFilters } from '../../frame/paths.js';
import { useApi } from '../../live/use-api.js';
import { AccountLink } from '../../parts/account-link.js';
import { StateBadge } from '../../parts/badge.js';
import { DataView } from '../../parts/data-view.js';
import { useAction } from '../../parts/use-action.js';
import { Purge } from '../dead-letters/purge.js';
import { Reclaim } from '../workers/reclaim.js';
import { Attempts } from './attempts.js';
import { Effects } from './effects.js';
import { PayloadSection } from './payload.js';
import { sentenceOf } from './sentence.js';
import { Timeline } from './timeline.js';
import { isUnresolved } from './unresolved.js';

/** The story of one job. */
export function JobPage({ id }: { id: string }) {
  // Of a job of another producer, whose id several queues may have.
  const { filters } = useFilters(['queue']);
  const query = useApi<Job>(apiPath(['jobs', id], filters));
  // Also of one that was there a moment ago.
  if (query.error?.code === 'job_not_found') {
    return (
      <>
        <h1>
          Job <span className="id">{id}</span>
        </h1>
        <p className="sentence">No job has this id. It may have been purged, or its retention is over.</p>
      </>
    );
  }
  return (
    <>
      <h1>
        Job <span className="id">{id}</span>
      </h1>
      <DataView query={query} what="this job">
        {(job) => <JobDetails job={job} />}
      </DataView>
    </>
  );
}

function JobDetails({ job }: { job: Job }) {
  return (
    <>
      <p className="sentence">{sentenceOf(job)}</p>
      <JobActions job={job} />
      <dl className="facts">
        <div>
          <dt>State</dt>
          <dd>
            <StateBadge state={job.state} reason={job.reason} />
          </dd>
        </div>
        <div>
          <dt>Account</dt>
          <dd>
            <AccountLink account={job.account} />
          </dd>
        </div>
        <div>
          <dt>Job</dt>
          <dd>
            {job.name}
            {job.readOnly !== true && ` version ${job.version}`}
          </dd>
        </div>
        <div>
          <dt>Queue, limit group</dt>
          <dd>
            {job.queue}, {job.limitGroup}
          </dd>
        </div>
        {job.tag !== undefined && (
          <div>
            <dt>Tag</dt>
            <dd>
              <Link href={hrefOf('jobs', undefined, { account: job.account, tag: job.tag })}>{job.tag}</Link>
            </dd>
          </div>
        )}
        <div>
          <dt>Attempts</dt>
          <dd>
            {job.attempts.made} of {job.attempts.max}
          </dd>
        </div>
        {job.worker !== undefined && (
          <div>
            <dt>Worker</dt>
            <dd className="id">{job.worker}</dd>
          </div>
        )}
        {job.key !== '' && (
          <div className="whole-line">
            <dt>Key</dt>
            <dd className="id">{job.key}</dd>
          </div>
        )}
      </dl>
      <Effects job={job} />
      <Attempts job={job} />
      <Timeline job={job} />
      {job.result !== undefined && (
        <section aria-labelledby="result">
          <h2 id="result">Result</h2>
          <pre>{JSON.stringify(job.result, undefined, 2)}</pre>
        </section>
      )}
      <PayloadSection job={job} />
    </>
  );
}

const cancellable = new Set(['scheduled', 'ready', 'held', 'active', 'retrying']);

function JobActions({ job }: { job: Job }) {
  const action = useAction();
  if (job.readOnly === true) {
    return (
      <p className="note">
        Another producer has put this job into the queue: it can be looked at here, and changed only where it
        came from.
      </p>
    );
  }
  if (!isOperator) {
    return <p className="note">Replaying, removing, cancelling and resolving needs the operator role.</p>;
  }
  const replay = () => write('POST', apiPath(['dead-letters', job.id, 'replay']));
  const cancel = () => write('POST', apiPath(['jobs', job.id, 'cancel']));
  const mustResolve = job.effects.some((effect) => isUnresolved(effect, job));
  return (
    <div className="actions">
      {job.state === 'dead' && !mustResolve && (
        <button
          type="button"
          disabled={action.isOff}
          onClick={() => void action.run(replay, 'The job is replayed as a new run.')}
        >
          Replay this job
        </button>
      )}
      {job.state === 'dead' && <Purge ids={[job.id]} label="Remove this job…" />}
      {job.state === 'active' && job.worker !== undefined && (
        <Reclaim worker={job.worker} ids={[job.id]} label="Take it from its worker…" />
      )}
      {cancellable.has(job.state) && (
        <button
          type="button"
          disabled={action.isOff}
          onClick={() => void action.run(cancel, 'The job is cancelled.')}
        >
          Cancel this job
        </button>
      )}
      {action.error !== undefined && <span className="error">{action.error}</span>}
    </div>
  );
}
