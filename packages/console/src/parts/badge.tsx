import type { JobState } from '../api/types.js';
import { reasonWord, stateWords, type Tone } from '../format/words.js';

/** Never colour alone: each tone has its sign. */
const signs: Record<Tone, string> = { act: '!', wait: '~', run: '>', plain: '·', good: '✓' };

export function Badge({ tone, word }: { tone: Tone; word: string }) {
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true" className="sign">
        {signs[tone]}
      </span>
      {word}
    </span>
  );
}

export function StateBadge({ state, reason }: { state: JobState; reason?: string | undefined }) {
  if (state === 'held' && reason !== undefined) {
    const { word, tone } = reasonWord(reason);
    return <Badge tone={tone} word={`held: ${word}`} />;
  }
  return <Badge {...stateWords[state]} />;
}
