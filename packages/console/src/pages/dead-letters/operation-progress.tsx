import { write } from '../../api/client.js';
import { isOperator } from '../../api/session.js';
import type { Operation } from '../../api/types.js';
import { countOf, formatCount } from '../../format/numbers.js';
import { apiPath } from '../../frame/paths.js';
import { useApi } from '../../live/use-api.js';
import { useAction } from '../../parts/use-action.js';

/** A replay of many under way. Its id is in the address, so a reload finds it again. */
export function OperationProgress({ id, dismiss }: { id: string; dismiss: () => void }) {
  const { data, error } = useApi<Operation>(apiPath(['operations', id]), { everyMs: 1_000 });
  const action = useAction();
  if (data === undefined) {
    if (!error) return null;
    return (
      <div className="operation">
        <p>The progress of this operation cannot be read. {error.message}</p>
        <button type="button" onClick={dismiss}>
          Dismiss
        </button>
      </div>
    );
  }
  const { state, matched, done, failed } = data;
  const hasEnded = state !== 'running';
  const stop = () =>
    action.run(() => write('POST', apiPath(['operations', id, 'cancel'])), 'The replay stops.');
  return (
    <section className="operation" aria-label="Replay under way">
      <p>
        Replay {state}: {formatCount(done)} of {countOf(matched, 'dead letter')}
        {failed > 0 && <>, {formatCount(failed)} could not be replayed</>}
      </p>
      <progress max={Math.max(1, matched)} value={done + failed} aria-label="Replayed" />
      <p className="actions">
        {!hasEnded && isOperator && (
          <button type="button" disabled={action.isOff} onClick={() => void stop()}>
            Stop after {formatCount(done)}
          </button>
        )}
        {hasEnded && (
          <button type="button" onClick={dismiss}>
            Dismiss
          </button>
        )}
        {action.error !== undefined && <span className="error">{action.error}</span>}
      </p>
    </section>
  );
}
