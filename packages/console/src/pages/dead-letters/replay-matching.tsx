import { useEffect, useId, useState } from 'react';
import { write } from '../../api/client.js';
import type { BulkReplayPreview, BulkReplayStarted } from '../../api/types.js';
import { countOf, formatCount } from '../../format/numbers.js';
import { formatDuration } from '../../format/times.js';
import { codeWord } from '../../format/words.js';
import { apiPath, type Query } from '../../frame/paths.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogActions } from '../../parts/dialog-actions.js';
import { Moment } from '../../parts/time.js';
import { useAction } from '../../parts/use-action.js';
import { bulkBody } from './bulk-body.js';

interface ReplayMatchingProps {
  filter: Query;
  isFiltered: boolean;
  onClose: () => void;
  onStarted: (operation: string) => void;
}

/** The API's own default; named here to say how long it takes. */
const PER_SECOND = 50;
/** From here on the count is typed, so that nobody replays ten thousand by habit. */
const TYPED_ABOVE = 100;
const SHOWN_ACCOUNTS = 10;

/** First a dry run, its upper time fixed, so that what is agreed to is what is replayed. */
export function ReplayMatching({ filter: wanted, isFiltered, onClose, onStarted }: ReplayMatchingProps) {
  const dryRun = useAction();
  const action = useAction();
  const inputId = useId();
  const [plan, setPlan] = useState<BulkReplayPreview>();
  const [typed, setTyped] = useState('');
  // Of this dialog: a double click, or a click after a lost answer, is one operation.
  const [idempotencyKey] = useState(randomKey);
  // "The last hour" goes on while somebody reads.
  const [filter] = useState(wanted);
  const path = apiPath(['dead-letters', 'replay']);

  useEffect(() => {
    const body = { ...bulkBody(filter), dryRun: true };
    void dryRun.run(async () => setPlan(await write<BulkReplayPreview>('POST', path, { body })), '');
  }, []);

  const matched = plan?.matched ?? 0;
  const mustType = matched > TYPED_ABOVE || !isFiltered;
  const mayStart = matched > 0 && (!mustType || typed.trim().replaceAll(/[,\s]/g, '') === String(matched));
  const start = () =>
    action.run(
      async () => {
        // Up to the server's moment of the dry run: a browser's clock may be hours off.
        const body = bulkBody({ ...filter, until: plan?.until });
        const { operation } = await write<BulkReplayStarted>('POST', path, { body, idempotencyKey });
        onStarted(operation);
      },
      `The replay of ${countOf(matched, 'dead letter')} has begun.`,
    );

  return (
    <Dialog title="Replay those that match" onClose={onClose}>
      {dryRun.error !== undefined && <p className="error">{dryRun.error}</p>}
      {plan === undefined ? (
        dryRun.error === undefined && <p>Counting…</p>
      ) : (
        <>
          <p>
            <b>{countOf(matched, 'dead letter')}</b>{' '}
            {isFiltered ? 'that match the filters are' : 'of the whole deployment are'} replayed: those that
            died until <Moment at={plan.until} />. At {PER_SECOND} a second that takes about{' '}
            {formatDuration(Math.max(1_000, (matched / PER_SECOND) * 1_000))}.
          </p>
          {plan.unresolved > 0 && (
            <p>{countOf(plan.unresolved, 'other')} left out: nobody knows whether they arrived.</p>
          )}
          <Counts
            title="By reason"
            counts={Object.entries(plan.byCode)
              .toSorted(([, one], [, other]) => other - one)
              .map(([code, count]) => [codeWord(code), count])}
            total={matched}
          />
          <Counts
            title="By account"
            counts={plan.byAccount.slice(0, SHOWN_ACCOUNTS).map((one) => [one.account, one.matched])}
            total={matched}
          />
          {mustType && matched > 0 && (
            <label htmlFor={inputId}>
              Type {matched} to go on
              <input
                id={inputId}
                inputMode="numeric"
                autoComplete="off"
                value={typed}
                onChange={({ target }) => setTyped(target.value)}
              />
            </label>
          )}
        </>
      )}
      <DialogActions
        action={action}
        keep="Cancel"
        onClose={onClose}
        act={`Replay ${formatCount(plan?.matched)}`}
        onAct={() => void start()}
        isReady={mayStart}
      />
    </Dialog>
  );
}

/** Not `crypto.randomUUID`, which browsers keep from pages that come over plain HTTP. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
}

interface CountsProps {
  title: string;
  /** The largest first. */
  counts: readonly (readonly [name: string, count: number])[];
  /** Of all, also those that are not named. */
  total: number;
}

function Counts({ title, counts, total }: CountsProps) {
  if (counts.length === 0) return null;
  const others = total - counts.reduce((sum, [, count]) => sum + count, 0);
  return (
    <>
      <h3>{title}</h3>
      <ul className="counts">
        {counts.map(([name, count]) => (
          <li key={name}>
            <span>{name}</span> <b>{formatCount(count)}</b>
          </li>
        ))}
        {others > 0 && (
          <li>
            <span>others</span> <b>{formatCount(others)}</b>
          </li>
        )}
      </ul>
    </>
  );
}
