import type { Query } from '../frame/paths.js';

interface PagerProps {
  cursor: string | null;
  isFirst: boolean;
  change: (patch: Query, options?: { push: boolean }) => void;
}

/** Forward by the server's cursor, back by the browser. */
export function Pager({ cursor, isFirst, change }: PagerProps) {
  if (isFirst && cursor === null) return null;
  return (
    <p className="pager">
      {!isFirst && (
        <button type="button" onClick={() => change({ cursor: undefined }, { push: true })}>
          First page
        </button>
      )}
      {cursor !== null && (
        <button type="button" onClick={() => change({ cursor }, { push: true })}>
          Next page
        </button>
      )}
    </p>
  );
}
