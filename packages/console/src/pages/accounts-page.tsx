import type { AccountSummary, Page } from '../api/types.js';
import { formatCount } from '../format/numbers.js';
import { Link } from '../frame/link.js';
import { apiPath, hrefOf, useFilters } from '../frame/paths.js';
import { useApi } from '../live/use-api.js';
import { DataView } from '../parts/data-view.js';
import { Pager } from '../parts/pager.js';
import { Empty, TableBox } from '../parts/table.js';
import { TextFilter } from '../parts/text-filter.js';
import { Age } from '../parts/time.js';

export function AccountsPage() {
  const { filters, change } = useFilters(['search', 'cursor']);
  const accounts = useApi<Page<AccountSummary>>(apiPath(['accounts'], filters), { keepWhileChanging: true });
  return (
    <>
      <h1>Accounts</h1>
      <p className="hint">
        Those with work that waits, the longest waiting first. A search finds any account by the beginning of
        its id.
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
                none="No account has work that waits."
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
          <th scope="col" className="number">
            Oldest eligible
          </th>
          <th scope="col" className="number">
            Oldest waiting
          </th>
          <th scope="col" className="number">
            Waiting
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
            <td className="number">
              <Age ms={one.oldestEligibleAgeMs} readAt={readAt} />
            </td>
            <td className="number">
              {one.waiting === 0 ? '-' : <Age ms={one.oldestWaitingAgeMs} readAt={readAt} />}
            </td>
            <td className="number">{formatCount(one.waiting)}</td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}
