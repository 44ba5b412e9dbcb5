import { useState } from 'react';
import { ApiError, write } from '../../api/client.js';
import { countOf, formatCount } from '../../format/numbers.js';
import { apiPath } from '../../frame/paths.js';
import { announce } from '../../parts/status.js';
import { Dialog } from '../../parts/dialog.js';
import { useAction } from '../../parts/use-action.js';

/** One replay asks nothing; several say how many. A page's worth, so each is a request of its own. */
export function ReplaySelected({ ids, clear }: { ids: string[]; clear: () => void }) {
  const action = useAction();
  const [asks, setAsks] = useState(false);
  const replay = async () => {
    let outcome = { replayed: 0, refused: [] as string[] };
    const isDone = await action.run(async () => {
      outcome = await replayEach(ids);
    }, '');
    if (!isDone) return;
    announce(describe(outcome));
    setAsks(false);
    clear();
  };
  return (
    <>
      <button
        type="button"
        disabled={action.isOff || ids.length === 0}
        onClick={() => (ids.length === 1 ? void replay() : setAsks(true))}
      >
        Replay selected ({formatCount(ids.length)})
      </button>
      {asks && (
        <Dialog title={`Replay ${countOf(ids.length, 'dead letter')}?`} onClose={() => setAsks(false)}>
          <p>Each becomes a new run with fresh attempts. Effects that are done are not repeated.</p>
          {action.error !== undefined && <p className="error">{action.error}</p>}
          <p className="actions">
            <button type="button" data-first-focus onClick={() => setAsks(false)}>
              Cancel
            </button>
            <button type="button" className="primary" disabled={action.isOff} onClick={() => void replay()}>
              Replay {formatCount(ids.length)}
            </button>
          </p>
        </Dialog>
      )}
    </>
  );
}

async function replayEach(ids: string[]): Promise<{ replayed: number; refused: string[] }> {
  const refused: string[] = [];
  let replayed = 0;
  for (const id of ids) {
    try {
      await write('POST', apiPath(['dead-letters', id, 'replay']));
      replayed += 1;
    } catch (error) {
      // Refused for itself (replayed by another, outcome unknown): the others may still go.
      if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 409)) throw error;
      refused.push(error.code);
    }
  }
  return { replayed, refused };
}

function describe({ replayed, refused }: { replayed: number; refused: string[] }): string {
  const done = `${countOf(replayed, 'dead letter')} replayed.`;
  const unknown = refused.filter((code) => code === 'unresolved_effect').length;
  const gone = refused.length - unknown;
  const left =
    unknown > 0 ? ` ${formatCount(unknown)} left out: their outcome is unknown, resolve it first.` : '';
  return `${done}${left}${gone > 0 ? ` ${formatCount(gone)} were no longer dead.` : ''}`;
}
