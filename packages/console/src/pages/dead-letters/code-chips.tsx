import { formatCount } from '../../format/numbers.js';
import { codeWord } from '../../format/words.js';
import type { Query } from '../../frame/paths.js';
import { useCodeCounts } from './use-code-counts.js';

interface CodeChipsProps {
  chosen: string | undefined;
  filter: Query;
  choose: (code: string | undefined) => void;
}

/** What they died of, over all that match the other filters. */
export function CodeChips({ chosen, filter, choose }: CodeChipsProps) {
  const found = useCodeCounts({ ...filter, code: undefined });
  if (found === undefined) return null;
  const counts = new Map(Object.entries(found.counts));
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
              {codeWord(code)} <b>{formatCount(count, found.isAtLeast)}</b>
            </button>
          </li>
        ))}
    </ul>
  );
}
