import { useEffect, useRef, useState } from 'react';
import { session } from '../api/session.js';
import { AccountPage } from '../pages/account/account-page.js';
import { AccountsPage } from '../pages/accounts-page.js';
import { DeadLettersPage } from '../pages/dead-letters/dead-letters-page.js';
import { JobPage } from '../pages/job/job-page.js';
import { JobsPage } from '../pages/jobs-page.js';
import { OverviewPage } from '../pages/overview/overview-page.js';
import { WorkersPage } from '../pages/workers/workers-page.js';
import { StatusRegion } from '../parts/status.js';
import { Header, pageTitles } from './header.js';
import { Help } from './help.js';
import { listenToKeys } from './keyboard.js';
import { Link } from './link.js';
import { hrefOf, usePlace, type Place } from './paths.js';

export function App() {
  const [showsHelp, setShowsHelp] = useState(false);
  const place = usePlace();
  const isOtherPage = useRef(false);
  useEffect(() => listenToKeys(() => setShowsHelp(true)), []);
  useEffect(() => {
    // Where reading goes on: what had the focus is gone with the page before.
    if (isOtherPage.current) document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
    isOtherPage.current = true;
    document.title = `${titleOf(place)} · ${session.deployment} · Fairlane`;
  }, [place.page, place.id]);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Header showHelp={() => setShowsHelp(true)} />
      <main id="main" tabIndex={-1}>
        <CurrentPage {...place} />
      </main>
      <StatusRegion />
      {showsHelp && <Help onClose={() => setShowsHelp(false)} />}
    </>
  );
}

function CurrentPage({ page, id }: Place) {
  if (page === 'overview') return <OverviewPage />;
  if (page === 'accounts') return id === undefined ? <AccountsPage /> : <AccountPage key={id} account={id} />;
  if (page === 'jobs') return id === undefined ? <JobsPage /> : <JobPage key={id} id={id} />;
  if (page === 'dead-letters') return <DeadLettersPage />;
  if (page === 'workers') return <WorkersPage />;
  return (
    <>
      <h1>Nothing here</h1>
      <p>
        This address leads nowhere. <Link href={hrefOf('overview')}>Go to the overview</Link>
      </p>
    </>
  );
}

function titleOf({ page, id }: Place): string {
  if (page === 'unknown') return 'Nothing here';
  return id === undefined ? pageTitles[page] : id;
}
