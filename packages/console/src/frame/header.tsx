import { session } from '../api/session.js';
import { formatClock } from '../format/times.js';
import { useConnection } from '../live/use-connection.js';
import { Link } from './link.js';
import { hrefOf, usePlace, type PageName } from './paths.js';

export const pageTitles: Record<PageName, string> = {
  overview: 'Overview',
  accounts: 'Accounts',
  jobs: 'Jobs',
  'dead-letters': 'Dead letters',
  workers: 'Workers',
};

const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

export function Header({ showHelp }: { showHelp: () => void }) {
  const { page } = usePlace();
  return (
    <header className="frame">
      <div className="who">
        <strong>Fairlane</strong>
        <span className="deployment">{session.deployment}</span>
        <span>
          {session.user} ({session.role})
        </span>
        <span>{zone}</span>
        <Freshness />
      </div>
      <nav aria-label="Pages">
        {Object.entries(pageTitles).map(([name, title]) => (
          <Link
            key={name}
            href={hrefOf(name as PageName)}
            {...(name === page ? { 'aria-current': 'page' as const } : {})}
          >
            {title}
          </Link>
        ))}
        <a href="queues">Queues</a>
        <button type="button" className="link" onClick={showHelp}>
          Keys
        </button>
        <a href="logout">Sign out</a>
      </nav>
    </header>
  );
}

function Freshness() {
  const { state, answeredAt } = useConnection();
  const at = answeredAt === undefined ? '' : formatClock(answeredAt);
  if (state === 'signed-out') {
    return (
      <span className="freshness stale" role="alert">
        Signed out: <a href={location.href}>sign in again</a>
      </span>
    );
  }
  if (state === 'stale') {
    return (
      <span className="freshness stale" role="alert">
        {at === '' ? 'Not connected' : `Stale since ${at}`}
      </span>
    );
  }
  return <span className="freshness live">{state === 'live' ? `Live ${at}` : 'Connecting'}</span>;
}
