import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import type { ApiError } from '../api/client.js';

interface DataViewProps<T> {
  query: UseQueryResult<T, ApiError>;
  /** What is read, for messages: `the accounts`. */
  what: string;
  children: (data: T, readAt: number) => ReactNode;
}

/** Loading, failing, old and fresh data, the same everywhere: what was read stays, dimmed, until there is better. */
export function DataView<T>({ query, what, children }: DataViewProps<T>) {
  const { data, error, dataUpdatedAt, isPlaceholderData } = query;
  return (
    <>
      {error && (
        <Failure error={error} what={what} retry={() => void query.refetch()} hasData={data !== undefined} />
      )}
      {data === undefined ? (
        !error && <Skeleton />
      ) : (
        <div className={error || isPlaceholderData ? 'dimmed' : ''}>{children(data, dataUpdatedAt)}</div>
      )}
    </>
  );
}

function Failure(props: { error: ApiError; what: string; retry: () => void; hasData: boolean }) {
  const { error, what, retry, hasData } = props;
  if (error.status === 404 && error.code === 'not_found') {
    return <p className="note">This version of the API does not offer {what}.</p>;
  }
  return (
    <div className="failure">
      <p>
        {hasData ? `Shown is what was read before; ${what} cannot be read now.` : `Cannot read ${what}.`}{' '}
        {error.message}
      </p>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

const skeletonDelayMs = 200;

/** Only after a moment: a quick answer must not flicker. */
export function Skeleton() {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), skeletonDelayMs);
    return () => clearTimeout(timer);
  }, []);
  if (!isLate) return <div className="skeleton waiting" />;
  return (
    <div className="skeleton">
      <span className="hidden">Loading</span>
      <i /> <i /> <i /> <i />
    </div>
  );
}
