import type { ReactNode } from 'react';

/** A table that scrolls within itself on a narrow screen, reachable by keyboard. Its section is the landmark. */
export function TableBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="table-box" role="group" aria-label={label} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

/** Tells "there are none" from "the filter matches none". */
export function Empty({ isFiltered, none, clear }: { isFiltered: boolean; none: string; clear: () => void }) {
  if (!isFiltered) return <p className="empty">{none}</p>;
  return (
    <p className="empty">
      Nothing matches these filters.{' '}
      <button type="button" className="link" onClick={clear}>
        Clear the filters
      </button>
    </p>
  );
}
