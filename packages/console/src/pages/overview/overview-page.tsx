import { lazy, Suspense } from 'react';
import type { AccountSummary, DeadLetter, Page, Queue } from '../../api/types.js';
import { formatCount } from '../../format/numbers.js';
import { Link } from '../../frame/link.js';
import { apiPath, hrefOf, useFilters } from '../../frame/paths.js';
import { useApi } from '../../live/use-api.js';
import { DataView, Skeleton } from '../../parts/data-view.js';
import { Ago } from '../../parts/time.js';
import { AccountRows } from '../accounts-page.js';
import { QueueTable } from './queue-table.js';
import { verdictOf } from './verdict.js';

// A third of all the code, and below everything else on the page.
const Charts = lazy(() => import('./charts.js'));

export function OverviewPage() {
  const queues = useApi<{ items: Queue[] }>(apiPath(['queues']));
  const workers = useApi<{ items: { status: string }[] }>(apiPath(['workers']), { everyMs: 5_000 });
  const { filters, change } = useFilters(['queue']);
  const alive = workers.data?.items.filter(({ status }) => status !== 'lost').length;
  return (
    <>
      <h1>Overview</h1>
      <DataView query={queues} what="the queues">
        {({ items }, readAt) => {
          const { tone, word } = verdictOf(items, alive);
          const charted = items.find(({ queue }) => queue === filters.queue) ?? busiest(items);
          return (
            <>
              <p className={`sentence verdict ${tone}`}>{word}</p>
              <QueueTable queues={items} readAt={readAt} />
              {charted && (
                <section aria-labelledby="charts">
                  <h2 id="charts">The last hour of {charted.queue}</h2>
                  <ul className="chips" aria-label="Queue of the charts">
                    {items.map(({ queue }) => (
                      <li key={queue}>
                        <button
                          type="button"
                          aria-pressed={queue === charted.queue}
                          onClick={() => change({ queue })}
                        >
                          {queue}
                        </button>
                      </li>
                    ))}
                  </ul>
                  <Suspense fallback={<Skeleton />}>
                    <Charts queue={charted.queue} />
                  </Suspense>
                </section>
              )}
            </>
          );
        }}
      </DataView>
      <Longest />
      <Unknown />
    </>
  );
}

/** The queue with most to say, unless another is chosen. */
function busiest(queues: readonly Queue[]): Queue | undefined {
  return queues.toSorted((one, other) => workOf(other) - workOf(one))[0];
}

function workOf({ counts }: Queue): number {
  return counts.ready + counts.held + counts.active;
}

function Longest() {
  const query = useApi<Page<AccountSummary>>(apiPath(['accounts'], { sort: 'oldest', limit: '5' }));
  return (
    <section aria-labelledby="longest">
      <h2 id="longest">Accounts that wait longest</h2>
      <DataView query={query} what="the accounts">
        {({ items }, readAt) =>
          items.length === 0 ? (
            <p className="empty">
              No account has work that waits for its turn or at a gate. Jobs that no worker can handle are
              among the <Link href={hrefOf('jobs', undefined, { state: 'held' })}>held jobs</Link>.
            </p>
          ) : (
            <AccountRows accounts={items} readAt={readAt} />
          )
        }
      </DataView>
    </section>
  );
}

function Unknown() {
  const filter = { code: 'unknown_outcome' };
  const query = useApi<Page<DeadLetter>>(apiPath(['dead-letters'], { ...filter, limit: '5' }));
  return (
    <section aria-labelledby="unknown">
      <h2 id="unknown">Unknown outcomes</h2>
      <DataView query={query} what="the dead letters">
        {({ items, cursor }) =>
          items.length === 0 ? (
            <p className="empty">None: of everything sent it is known whether it arrived.</p>
          ) : (
            <>
              <p>
                These may have arrived. They are not repeated until a person decides;{' '}
                <Link href={hrefOf('dead-letters', undefined, filter)}>
                  see {cursor === null ? `all ${formatCount(items.length)}` : 'all of them'}
                </Link>
                .
              </p>
              <ul>
                {items.map(({ id, name, account, finishedAt }) => (
                  <li key={id}>
                    <Link href={hrefOf('jobs', id)}>{name}</Link> of {account}, <Ago at={finishedAt} />
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </DataView>
    </section>
  );
}
