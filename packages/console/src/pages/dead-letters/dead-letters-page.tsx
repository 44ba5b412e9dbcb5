import { useState } from 'react';
import type { DeadLetter, DeadLetterCodes, Page } from '../../api/types.js';
import { isOperator } from '../../api/session.js';
import { formatCount } from '../../format/numbers.js';
import { apiPath, useFilters } from '../../frame/paths.js';
import { useApi } from '../../live/use-api.js';
import { useIsLive } from '../../live/use-connection.js';
import { useRows } from '../../live/use-rows.js';
import { DataView } from '../../parts/data-view.js';
import { NewRows } from '../../parts/new-rows.js';
import { Pager } from '../../parts/pager.js';
import { SinceFilter, sinceMoment } from '../../parts/since-filter.js';
import { Empty } from '../../parts/table.js';
import { TextFilter } from '../../parts/text-filter.js';
import { CodeChips } from './code-chips.js';
import { DeadLetterTable } from './dead-letter-table.js';
import { liveCounts } from './live-counts.js';
import { Operations } from './operations.js';
import { Purge } from './purge.js';
import { ReplayMatching } from './replay-matching.js';
import { ReplaySelected } from './replay-selected.js';

/** Counting all is a walk through all, however fast. */
const countEveryMs = 10_000;

/** Jobs that ended without success and wait for a person. */
export function DeadLettersPage() {
  const { filters, change } = useFilters([
    'account',
    'queue',
    'name',
    'tag',
    'code',
    'since',
    'cursor',
    'operation',
  ]);
  const { cursor, operation, ...chosen } = filters;
  const matching = { ...chosen, since: sinceMoment(chosen.since) };
  const path = apiPath(['dead-letters'], { ...matching, cursor });
  const query = useApi<Page<DeadLetter>>(path, { keepWhileChanging: true });
  const codesPath = apiPath(['dead-letters', 'codes'], { ...matching, code: undefined });
  const { data: counted } = useApi<DeadLetterCodes>(codesPath, {
    everyMs: countEveryMs,
    keepWhileChanging: true,
  });
  const shown = query.isPlaceholderData ? undefined : query.data;
  const codes = liveCounts(counted, shown, { code: chosen.code, isFirst: cursor === undefined });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asksForAll, setAsksForAll] = useState(false);
  const { rows, newCount, showNew } = useRows(query.data, {
    listId: path,
    idOf: ({ id }) => id,
    orderOf: ({ finishedAt }) => Date.parse(finishedAt),
    isPlaceholder: query.isPlaceholderData,
    isFrozen: selected.size > 0,
  });
  const isLive = useIsLive();
  const isFiltered = Object.values(chosen).length > 0;
  const filter = (patch: Record<string, string | undefined>) => {
    setSelected(new Set());
    change({ ...patch, cursor: undefined });
  };
  const clear = () =>
    filter({
      account: undefined,
      queue: undefined,
      name: undefined,
      tag: undefined,
      code: undefined,
      since: undefined,
    });

  return (
    <>
      <h1>Dead letters</h1>
      <Operations own={operation} dismiss={() => change({ operation: undefined })} />
      {codes && <CodeChips codes={codes} chosen={chosen.code} choose={(code) => filter({ code })} />}
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <TextFilter
          label="Account"
          value={chosen.account}
          onChange={(account) => filter({ account })}
          isSearch
        />
        <TextFilter label="Queue" value={chosen.queue} onChange={(queue) => filter({ queue })} />
        <TextFilter label="Job" value={chosen.name} onChange={(name) => filter({ name })} />
        <TextFilter label="Tag" value={chosen.tag} onChange={(tag) => filter({ tag })} />
        <SinceFilter label="Died" value={chosen.since} onChange={(since) => filter({ since })} />
      </form>
      <DataView query={query} what="the dead letters">
        {(page) => (
          <>
            {isOperator ? (
              <div className="actions">
                <ReplaySelected ids={[...selected]} clear={() => setSelected(new Set())} />
                <button
                  type="button"
                  disabled={!isLive || rows.length === 0}
                  onClick={() => setAsksForAll(true)}
                >
                  Replay {matchingWords(codes, chosen.code, isFiltered)}…
                </button>
                <Purge
                  ids={[...selected]}
                  label={`Remove selected (${formatCount(selected.size)})`}
                  onPurged={() => setSelected(new Set())}
                />
              </div>
            ) : (
              <p className="note">Replaying and removing needs the operator role.</p>
            )}
            <NewRows count={newCount} isMore={newCount >= page.items.length} show={showNew} />
            {rows.length === 0 ? (
              <Empty isFiltered={isFiltered} none="There are no dead letters." clear={clear} />
            ) : (
              <DeadLetterTable rows={rows} selected={selected} select={setSelected} />
            )}
            {selected.size > 0 &&
              selected.size === rows.length &&
              (page.cursor !== null || cursor !== undefined) && (
                <p className="note">
                  The {formatCount(selected.size)} on this page are selected.{' '}
                  <button type="button" className="link" onClick={() => setAsksForAll(true)}>
                    Take {matchingWords(codes, chosen.code, isFiltered)} instead
                  </button>
                </p>
              )}
            <Pager
              cursor={page.cursor}
              isFirst={cursor === undefined}
              change={(patch, options) => {
                setSelected(new Set());
                change(patch, options);
              }}
            />
          </>
        )}
      </DataView>
      {asksForAll && (
        <ReplayMatching
          filter={matching}
          isFiltered={isFiltered}
          onClose={() => setAsksForAll(false)}
          onStarted={(id) => {
            setAsksForAll(false);
            setSelected(new Set());
            change({ operation: id });
          }}
        />
      )}
    </>
  );
}

/** How many an operation is about, and which: `508 that match the filters`. */
function matchingWords(codes: DeadLetterCodes | undefined, code: string | undefined, isFiltered: boolean) {
  const count = code === undefined ? codes?.matched : codes && (codes.byCode[code] ?? 0);
  const many = count === undefined ? 'those' : formatCount(count, codes?.complete === false);
  return `${many} ${isFiltered ? 'that match the filters' : 'of the whole deployment'}`;
}
