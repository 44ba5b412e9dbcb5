import { useEffect, useId, useState } from 'react';
import { ApiError, write } from '../../api/client.js';
import { countOf, formatCount } from '../../format/numbers.js';
import { formatDuration } from '../../format/times.js';
import { codeWord } from '../../format/words.js';
import { apiPath, type Query } from '../../frame/paths.js';
import { Dialog } from '../../parts/dialog.js';
import { useAction } from '../../parts/use-action.js';

interface Matched {
  operation?: string | null;
  matched: number;
  byCode: Record<string, number>;
  byAccount?: Record<string, number>;
  /** Left out, since their outcome is unknown. */
  unresolved?: number;
}

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

const notOffered = 'This version of the API replays one at a time: select rows instead.';

/** First a dry run, its upper time fixed, so that what is agreed to is what is replayed. */
export function ReplayMatching({ filter, isFiltered, onClose, onStarted }: ReplayMatchingProps) {
  const dryRun = useAction();
  const action = useAction();
  const inputId = useId();
  const [plan, setPlan] = useState<Matched>();
  const [typed, setTyped] = useState('');
  // Of this dialog: a double click, or a click after a lost answer, is one operation.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [until] = useState(() => new Date().toISOString());
  const body = { filter: { ...definedIn(filter), until }, ...(isFiltered ? {} : { all: true }) };
  const path = apiPath(['dead-letters', 'replay']);

  useEffect(() => {
    void dryRun.run(async () => {
      try {
        setPlan(await write<Matched>('POST', path, { body: { ...body, dryRun: true } }));
      } catch (error) {
        const isMissing = error instanceof ApiError && (error.status === 404 || error.status === 405);
        throw isMissing ? new Error(notOffered) : error;
      }
    }, '');
  }, []);

  const matched = plan?.matched ?? 0;
  const mustType = matched > TYPED_ABOVE || !isFiltered;
  const mayStart = matched > 0 && (!mustType || typed.trim().replaceAll(/[,\s]/g, '') === String(matched));
  const start = () =>
    action.run(
      async () => {
        const { operation } = await write<Matched>('POST', path, { body, idempotencyKey });
        if (typeof operation === 'string') onStarted(operation);
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
            {isFiltered ? 'match the filters' : 'in the whole deployment'} and died before now. At{' '}
            {PER_SECOND} a second that takes about{' '}
            {formatDuration(Math.max(1_000, (matched / PER_SECOND) * 1_000))}. Those whose outcome is unknown
            are left out{plan.unresolved === undefined ? '' : `: ${formatCount(plan.unresolved)}`}.
          </p>
          <Counts title="By reason" counts={plan.byCode} word={codeWord} />
          {plan.byAccount && (
            <Counts title="By account" counts={plan.byAccount} word={(account) => account} />
          )}
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
      {action.error !== undefined && <p className="error">{action.error}</p>}
      <p className="actions">
        <button type="button" data-first-focus onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="primary"
          disabled={action.isOff || !mayStart}
          onClick={() => void start()}
        >
          Replay {formatCount(plan?.matched)}
        </button>
      </p>
    </Dialog>
  );
}

function Counts(props: { title: string; counts: Record<string, number>; word: (name: string) => string }) {
  const entries = Object.entries(props.counts).toSorted(([, one], [, other]) => other - one);
  if (entries.length === 0) return null;
  return (
    <>
      <h3>{props.title}</h3>
      <ul className="counts">
        {entries.slice(0, 20).map(([name, count]) => (
          <li key={name}>
            {props.word(name)}: {formatCount(count)}
          </li>
        ))}
      </ul>
    </>
  );
}

function definedIn(filter: Query): Query {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}
