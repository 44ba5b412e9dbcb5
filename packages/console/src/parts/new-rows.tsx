import { formatCount } from '../format/numbers.js';

/** Offers what came in since, instead of moving the rows. */
export function NewRows({ count, isMore, show }: { count: number; isMore: boolean; show: () => void }) {
  if (count === 0) return null;
  return (
    <p className="new-rows">
      <button type="button" onClick={show}>
        {formatCount(count, isMore)} new, show
      </button>
    </p>
  );
}
