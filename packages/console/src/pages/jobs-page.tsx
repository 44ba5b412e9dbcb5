import type { Job, Page } from '../api/types.js';
import { jobStates, stateWords } from '../format/words.js';
import { apiPath, useFilters } from '../frame/paths.js';
import { useApi } from '../live/use-api.js';
import { useRows } from '../live/use-rows.js';
import { AccountLink } from '../parts/account-link.js';
import { StateBadge } from '../parts/badge.js';
import { DataView } from '../parts/data-view.js';
import { JobName } from '../parts/job-name.js';
import { NewRows } from '../parts/new-rows.js';
import { Pager } from '../parts/pager.js';
import { SinceFilter, sinceMoment } from '../parts/since-filter.js';
import { Empty, TableBox } from '../parts/table.js';
import { ChoiceFilter, TextFilter } from '../parts/text-filter.js';
import { Ago } from '../parts/time.js';

const states = jobStates.map((state) => [state, stateWords[state].word] as const);

export function JobsPage() {
  const { filters, change } = useFilters(['account', 'queue', 'state', 'name', 'tag', 'since', 'cursor']);
  const { cursor, ...chosen } = filters;
  const path = apiPath(['jobs'], { ...filters, since: sinceMoment(chosen.since) });
  const query = useApi<Page<Job>>(path, { keepWhileChanging: true });
  const { rows, newCount, showNew } = useRows(query.data, {
    listId: path,
    idOf: keyOf,
    orderOf: ({ createdAt }) => Date.parse(createdAt),
    isPlaceholder: query.isPlaceholderData,
    isFrozen: false,
  });
  const filter = (patch: Record<string, string | undefined>) => change({ ...patch, cursor: undefined });
  const clear = () =>
    filter({
      account: undefined,
      queue: undefined,
      state: undefined,
      name: undefined,
      tag: undefined,
      since: undefined,
    });
  return (
    <>
      <h1>Jobs</h1>
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <TextFilter
          label="Account"
          value={chosen.account}
          onChange={(account) => filter({ account })}
          isSearch
        />
        <ChoiceFilter
          label="State"
          value={chosen.state}
          choices={states}
          onChange={(state) => filter({ state })}
        />
        <TextFilter label="Queue" value={chosen.queue} onChange={(queue) => filter({ queue })} />
        <TextFilter label="Job" value={chosen.name} onChange={(name) => filter({ name })} />
        <TextFilter label="Tag" value={chosen.tag} onChange={(tag) => filter({ tag })} />
        <SinceFilter label="Handed in" value={chosen.since} onChange={(since) => filter({ since })} />
      </form>
      <DataView query={query} what="the jobs">
        {(page) => (
          <>
            <NewRows count={newCount} isMore={newCount >= page.items.length} show={showNew} />
            {rows.length === 0 ? (
              <Empty
                isFiltered={Object.keys(chosen).length > 0}
                none="No job has been handed in."
                clear={clear}
              />
            ) : (
              <JobTable jobs={rows} />
            )}
            <Pager cursor={page.cursor} isFirst={cursor === undefined} change={change} />
          </>
        )}
      </DataView>
    </>
  );
}

/** Ids of other producers are those of one queue only. */
function keyOf({ queue, id }: Job): string {
  return `${queue} ${id}`;
}

function JobTable({ jobs }: { jobs: Job[] }) {
  return (
    <TableBox label="Jobs">
      <thead>
        <tr>
          <th scope="col">Handed in</th>
          <th scope="col">State</th>
          <th scope="col">Job</th>
          <th scope="col">Account</th>
          <th scope="col">Tag</th>
          <th scope="col" className="number">
            Attempts
          </th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={keyOf(job)}>
            <td>
              <Ago at={job.createdAt} />
            </td>
            <td>
              <StateBadge state={job.state} reason={job.reason} />
            </td>
            <th scope="row">
              <JobName job={job} />
            </th>
            <td>
              <AccountLink account={job.account} />
            </td>
            <td>{job.tag ?? '-'}</td>
            <td className="number">
              {job.attempts.made} / {job.attempts.max}
            </td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}
