import type { DeadLetter, Page } from '../../api/types.js';
import { formatCount } from '../../format/numbers.js';
import { codeWord } from '../../format/words.js';
import { apiPath, type Query } from '../../frame/paths.js';
import { useApi } from '../../live/use-api.js';

/** Counting all would be a scan: the newest tell what is going wrong now. */
const COUNTED = 500;
const everyMs = 15_000;

interface CodeChipsProps {
  chosen: string | undefined;
  filter: Query;
  choose: (code: string | undefined) => void;
}

export function CodeChips({ chosen, filter, choose }: CodeChipsProps) {
  const path = apiPath(['dead-letters'], { ...filter, code: undefined, limit: String(COUNTED) });
  const { data } = useApi<Page<DeadLetter>>(path, { everyMs, keepWhileChanging: true });
  if (data === undefined) return null;
  const counts = new Map<string, number>();
  for (const { code } of data.items) counts.set(code, (counts.get(code) ?? 0) + 1);
  if (chosen !== undefined && !counts.has(chosen)) counts.set(chosen, 0);
  const isPart = data.cursor !== null;
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
              {codeWord(code)} <b>{formatCount(count, isPart)}</b>
            </button>
          </li>
        ))}
    </ul>
  );
}
