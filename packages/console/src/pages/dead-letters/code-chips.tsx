import type { DeadLetterCodes } from '../../api/types.js';
import { formatCount } from '../../format/numbers.js';
import { codeWord } from '../../format/words.js';
import { apiPath, type Query } from '../../frame/paths.js';
import { useApi } from '../../live/use-api.js';

/** Counting all is a walk through all, however fast. */
const everyMs = 10_000;

interface CodeChipsProps {
  chosen: string | undefined;
  filter: Query;
  choose: (code: string | undefined) => void;
}

/** What they died of, over all that match the other filters. */
export function CodeChips({ chosen, filter, choose }: CodeChipsProps) {
  const path = apiPath(['dead-letters', 'codes'], { ...filter, code: undefined });
  const { data } = useApi<DeadLetterCodes>(path, { everyMs, keepWhileChanging: true });
  if (data === undefined) return null;
  const counts = new Map(Object.entries(data.byCode));
  if (chosen !== undefined && !counts.has(chosen)) counts.set(chosen, 0);
  if (counts.size === 0) return null;
  return (
    <ul className="chips" aria-label="By reason">
      {[...counts]
        .toSorted(([, one], [, other]) => other - one)
        .map(([code, count]) => (
          <li key={code}>
            <button
              type="button"
              aria-pressed={code === chosen}
              onClick={() => choose(code === chosen ? undefined : code)}
            >
              {codeWord(code)} <b>{formatCount(count, !data.complete)}</b>
            </button>
          </li>
        ))}
    </ul>
  );
}
