import { write } from '../../api/client.js';
import { isOperator } from '../../api/session.js';
import type { Operation } from '../../api/types.js';
import { countOf, formatCount } from '../../format/numbers.js';
import { apiPath } from '../../frame/paths.js';
import { useApi } from '../../live/use-api.js';
import { Ago } from '../../parts/time.js';
import { useAction } from '../../parts/use-action.js';

const words: Record<Operation['kind'], { title: string; of: string; failed: string }> = {
  replay: { title: 'Replay', of: 'dead letter', failed: 'could not be replayed' },
  cancel: { title: 'Cancelling', of: 'job', failed: 'could not be cancelled' },
};
const stateWords: Record<Operation['state'], string> = {
  running: 'running',
  done: 'done',
  cancelled: 'stopped',
};

interface OperationProgressProps {
  id: string;
  /** Left out where it goes by itself once it has ended. */
  dismiss?: () => void;
}

/** A change of many jobs under way. */
export function OperationProgress({ id, dismiss }: OperationProgressProps) {
  const { data, error } = useApi<Operation>(apiPath(['operations', id]), { everyMs: 1_000 });
  const action = useAction();
  const dismissButton = dismiss && (
    <button type="button" onClick={dismiss}>
      Dismiss
    </button>
  );
  if (data === undefined) {
    if (!error) return null;
    return (
      <div className="operation">
        <p>The progress of this operation cannot be read. {error.message}</p>
        {dismissButton}
      </div>
    );
  }
  const { kind, state, matched, done, failed, createdAt } = data;
  const { title, of, failed: failedWords } = words[kind];
  const isRunning = state === 'running';
  const stop = () =>
    action.run(() => write('POST', apiPath(['operations', id, 'cancel'])), `${title}: stopped.`);
  return (
    <section className="operation" aria-label={`${title} of ${countOf(matched, of)}`}>
      <p>
        {title} {stateWords[state]}: {formatCount(done)} of {countOf(matched, of)}
        {failed > 0 && (
          <>
            , {formatCount(failed)} {failedWords}
          </>
        )}
        ; begun <Ago at={createdAt} />
      </p>
      <progress max={Math.max(1, matched)} value={done + failed} aria-label="Done" />
      <p className="actions">
        {isRunning && isOperator && (
          <button type="button" disabled={action.isOff} onClick={() => void stop()}>
            Stop after {formatCount(done)}
          </button>
        )}
        {!isRunning && dismissButton}
        {action.error !== undefined && <span className="error">{action.error}</span>}
      </p>
    </section>
  );
}
