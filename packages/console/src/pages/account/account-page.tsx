import { isOperator } from '../../api/session.js';
import type { Account } from '../../api/types.js';
import { write } from '../../api/client.js';
import { formatCount, countOf } from '../../format/numbers.js';
import { errorWords, jobStates, stateWords } from '../../format/words.js';
import { Link } from '../../frame/link.js';
import { apiPath, hrefOf } from '../../frame/paths.js';
import { useApi } from '../../live/use-api.js';
import { DataView } from '../../parts/data-view.js';
import { Sentence } from '../../parts/sentence.js';
import { Moment, Ago } from '../../parts/time.js';
import { useAction } from '../../parts/use-action.js';
import { Campaigns } from './campaigns.js';
import { Gates } from './gates.js';
import { Lanes } from './lanes.js';
import { Settings } from './settings.js';

/** One customer account: first the sentence that answers, then what it rests on. */
export function AccountPage({ account }: { account: string }) {
  const query = useApi<Account>(apiPath(['accounts', account]));
  if (query.data === undefined && query.error?.code === 'unknown_account') {
    return (
      <>
        <h1>{account}</h1>
        <p className="sentence">Nothing is known of this account: no job, no limit, no setting.</p>
      </>
    );
  }
  return (
    <>
      <h1>
        Account <span className="id">{account}</span>
      </h1>
      <DataView query={query} what="this account">
        {(view, readAt) => <AccountDetails view={view} readAt={readAt} />}
      </DataView>
    </>
  );
}

function AccountDetails({ view, readAt }: { view: Account; readAt: number }) {
  // That of the sentence, so that both name the same time.
  const zone = view.windows?.[0]?.zone ?? 'UTC';
  return (
    <>
      <p className="sentence">
        <Sentence text={view.explanation} />
      </p>
      <Troubles view={view} />
      <PauseButton view={view} zone={zone} />
      <dl className="facts">
        <div>
          <dt>Next run</dt>
          <dd>
            <Moment at={view.nextRunAt} zone={zone} />
          </dd>
        </div>
        <div>
          <dt>Queue empty about</dt>
          <dd>
            <Moment at={view.estimatedDrainAt} zone={zone} />
          </dd>
        </div>
        <div>
          <dt>Last success</dt>
          <dd>
            <Ago at={view.lastCompletedAt} />
          </dd>
        </div>
        <div>
          <dt>Last error</dt>
          <dd>
            {view.lastError === null ? (
              '-'
            ) : (
              <>
                <Link href={hrefOf('jobs', view.lastError.jobId)}>{errorWords(view.lastError.message)}</Link>{' '}
                <Ago at={view.lastError.at} />
              </>
            )}
          </dd>
        </div>
      </dl>
      <Gates view={view} zone={zone} />
      <Lanes lanes={view.lanes} readAt={readAt} />
      <section aria-labelledby="states">
        <h2 id="states">Jobs by state</h2>
        <ul className="chips">
          {jobStates.map((state) => (
            <li key={state}>
              <Link href={hrefOf('jobs', undefined, { account: view.account, state })}>
                {stateWords[state].word} <b>{formatCount(view.counts[state])}</b>
              </Link>
            </li>
          ))}
        </ul>
      </section>
      <Campaigns account={view.account} />
      <Settings view={view} />
    </>
  );
}

/** What waits for a person, in a line of its own below the sentence. */
function Troubles({ view }: { view: Account }) {
  if (view.counts.dead === 0) return null;
  return (
    <p className="troubles">
      <Link href={hrefOf('dead-letters', undefined, { account: view.account })}>
        See {countOf(view.counts.dead, 'dead letter')} of this account
      </Link>
    </p>
  );
}

function PauseButton({ view: { account, paused }, zone }: { view: Account; zone: string }) {
  const action = useAction();
  if (!isOperator)
    return <p className="note">Pausing, resuming and setting limits needs the operator role.</p>;
  const verb = paused === null ? 'pause' : 'resume';
  return (
    <p className="actions">
      <button
        type="button"
        disabled={action.isOff}
        onClick={() =>
          void action.run(
            () => write('POST', apiPath(['accounts', account, verb])),
            paused === null ? `${account} is paused: nothing more of it starts.` : `${account} goes on.`,
          )
        }
      >
        {paused === null ? 'Pause this account' : 'Resume this account'}
      </button>
      {paused !== null && (
        <span>
          {' '}
          Paused by {paused.by}, <Moment at={paused.at} zone={zone} />
        </span>
      )}
      {action.error !== undefined && <span className="error"> {action.error}</span>}
    </p>
  );
}
