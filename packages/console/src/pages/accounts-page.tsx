import type { AccountSummary, Page } from '../api/types.js';
import { formatCount } from '../format/numbers.js';
import { Link } from '../frame/link.js';
import { apiPath, hrefOf, useFilters } from '../frame/paths.js';
import { useApi } from '../live/use-api.js';
import { DataView } from '../parts/data-view.js';
import { Pager } from '../parts/pager.js';
import { Sentence } from '../parts/sentence.js';
import { Empty, TableBox } from '../parts/table.js';
import { TextFilter } from '../parts/text-filter.js';
import { Age, Upcoming } from '../parts/time.js';

export function AccountsPage() {
  const { filters, change } = useFilters(['search', 'cursor']);
  const accounts = useApi<Page<AccountSummary>>(apiPath(['accounts'], filters), { keepWhileChanging: true });
  return (
    <>
      <h1>Accounts</h1>
      <p className="hint">
        Those with work that waits for its turn or at a gate: first those whose work could run, the longest
        waiting on top. A search finds any account by the beginning of its id. Jobs that no worker can handle
        are among the <Link href={hrefOf('jobs', undefined, { state: 'held' })}>held jobs</Link>.
      </p>
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <TextFilter
          label="Search"
          value={filters.search}
          onChange={(search) => change({ search, cursor: undefined })}
          isSearch
        />
      </form>
      <DataView query={accounts} what="the accounts">
        {({ items, cursor }, readAt) => (
          <>
            {items.length === 0 ? (
              <Empty
                isFiltered={filters.search !== undefined}
                none="No account has work that waits for its turn or at a gate."
                clear={() => change({ search: undefined, cursor: undefined })}
              />
            ) : (
              <AccountRows accounts={items} readAt={readAt} />
            )}
            <Pager cursor={cursor} isFirst={filters.cursor === undefined} change={change} />
          </>
        )}
      </DataView>
    </>
  );
}

export function AccountRows({ accounts, readAt }: { accounts: AccountSummary[]; readAt: number }) {
  return (
    <TableBox label="Accounts">
      <thead>
        <tr>
          <th scope="col">Account</th>
          <th scope="col">What it waits for</th>
          <th scope="col" className="number">
            Oldest eligible
          </th>
          <th scope="col" className="number">
            Ready
          </th>
          <th scope="col" className="number">
            Held
          </th>
          <th scope="col" className="number">
            Dead
          </th>
          <th scope="col" className="number">
            Next opening
          </th>
        </tr>
      </thead>
      <tbody>
        {accounts.map((one) => (
          <tr key={one.account}>
            <th scope="row">
              <Link data-row href={hrefOf('accounts', one.account)}>
                {one.account}
              </Link>
            </th>
            <td className="told">
              <Sentence text={one.explanation} />
            </td>
            <td className="number">
              <Age ms={one.oldestEligibleAgeMs} readAt={readAt} />
            </td>
            <td className="number">
              <JobCount account={one.account} state="ready" count={one.ready} />
            </td>
            <td className="number">
              <JobCount account={one.account} state="held" count={one.held} />
            </td>
            <td className="number">
              <Link href={hrefOf('dead-letters', undefined, { account: one.account })}>
                {formatCount(one.dead)}
              </Link>
            </td>
            <td className="number">
              <Upcoming at={one.nextRunAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}

function JobCount({ account, state, count }: { account: string; state: string; count: number }) {
  return <Link href={hrefOf('jobs', undefined, { account, state })}>{formatCount(count)}</Link>;
}
