import { useState } from 'react';
import { write } from '../../api/client.js';
import { countOf, formatCount } from '../../format/numbers.js';
import { apiPath } from '../../frame/paths.js';
import { announce } from '../../parts/status.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogActions } from '../../parts/dialog-actions.js';
import { useAction } from '../../parts/use-action.js';
import { useIsLive } from '../../live/use-connection.js';
import { actOnEach, describeOutcome } from './act-on-each.js';

interface PurgeProps {
  ids: readonly string[];
  /** What the button says: its scope. */
  label: string;
  onPurged?: () => void;
}

/** Removing cannot be undone, so it asks, also for one. */
export function Purge({ ids, label, onPurged }: PurgeProps) {
  const action = useAction();
  const isLive = useIsLive();
  const [asks, setAsks] = useState(false);
  const purge = async () => {
    let told = '';
    const isDone = await action.run(async () => {
      const outcome = await actOnEach(ids, (id) => write('DELETE', apiPath(['dead-letters', id])));
      told = describeOutcome(outcome, 'removed');
    }, '');
    if (!isDone) return;
    announce(told);
    setAsks(false);
    onPurged?.();
  };
  return (
    <>
      <button type="button" disabled={!isLive || ids.length === 0} onClick={() => setAsks(true)}>
        {label}
      </button>
      {asks && (
        <Dialog
          title={`Remove ${countOf(ids.length, 'dead letter')} for good?`}
          onClose={() => setAsks(false)}
        >
          <p>
            Payload and history are lost, and nobody can replay {ids.length === 1 ? 'it' : 'them'} any more.
            The same work can be handed in again; effects that were done stay known and are not repeated.
          </p>
          <DialogActions
            action={action}
            keep="Keep"
            onClose={() => setAsks(false)}
            act={`Remove ${formatCount(ids.length)}`}
            onAct={() => void purge()}
            isDangerous
          />
        </Dialog>
      )}
    </>
  );
}
