import type { DeadLetterCodes } from '../../api/types.js';
import { formatCount } from '../../format/numbers.js';
import { codeWord } from '../../format/words.js';

interface CodeChipsProps {
  codes: DeadLetterCodes;
  chosen: string | undefined;
  choose: (code: string | undefined) => void;
}

/** What they died of, over all that match the other filters. */
export function CodeChips({ codes, chosen, choose }: CodeChipsProps) {
  const counts = new Map(Object.entries(codes.byCode));
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
              {codeWord(code)} <b>{formatCount(count, !codes.complete)}</b>
            </button>
          </li>
        ))}
    </ul>
  );
}
