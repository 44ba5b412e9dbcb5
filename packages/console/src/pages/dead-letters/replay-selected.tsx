import { useState } from 'react';
import { write } from '../../api/client.js';
import { countOf, formatCount } from '../../format/numbers.js';
import { apiPath } from '../../frame/paths.js';
import { announce } from '../../parts/status.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogActions } from '../../parts/dialog-actions.js';
import { useAction } from '../../parts/use-action.js';
import { actOnEach, describeOutcome } from './act-on-each.js';

/** One replay asks nothing; several say how many. */
export function ReplaySelected({ ids, clear }: { ids: string[]; clear: () => void }) {
  const action = useAction();
  const [asks, setAsks] = useState(false);
  const replay = async () => {
    let told = '';
    const isDone = await action.run(async () => {
      const outcome = await actOnEach(ids, (id) => write('POST', apiPath(['dead-letters', id, 'replay'])));
      told = describeOutcome(outcome, 'replayed');
    }, '');
    if (!isDone) return;
    announce(told);
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
          <DialogActions
            action={action}
            keep="Cancel"
            onClose={() => setAsks(false)}
            act={`Replay ${formatCount(ids.length)}`}
            onAct={() => void replay()}
          />
        </Dialog>
      )}
    </>
  );
}
