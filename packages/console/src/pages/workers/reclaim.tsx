import { useState } from 'react';
import { ApiError, read, write } from '../../api/client.js';
import type { Job } from '../../api/types.js';
import { countOf, formatCount } from '../../format/numbers.js';
import { apiPath } from '../../frame/paths.js';
import { useIsLive } from '../../live/use-connection.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogActions } from '../../parts/dialog-actions.js';
import { announce } from '../../parts/status.js';
import { useAction } from '../../parts/use-action.js';

interface ReclaimProps {
  /** Id of the one that holds the jobs. */
  worker: string;
  ids: readonly string[];
  label: string;
}

/** Takes jobs away from a worker that hangs. It may be in the middle of them, so it asks. */
export function Reclaim({ worker, ids, label }: ReclaimProps) {
  const action = useAction();
  const isLive = useIsLive();
  const [asks, setAsks] = useState(false);
  // Of the moment it was asked: what has come since was not meant.
  const [asked, setAsked] = useState<readonly string[]>(ids);
  const ask = () => {
    setAsked(ids);
    setAsks(true);
  };
  const reclaim = async () => {
    let taken = 0;
    const isDone = await action.run(async () => {
      for (const id of asked) if (await takeBack(id, worker)) taken += 1;
    }, '');
    if (!isDone) return;
    const left = asked.length - taken;
    const others = left === 0 ? '' : ` ${countOf(left, 'job')} it did not hold any more.`;
    announce(
      `${countOf(taken, 'job')} taken back: another worker gets it within the time of a lease.${others}`,
    );
    setAsks(false);
  };
  return (
    <>
      <button type="button" disabled={!isLive} onClick={ask}>
        {label}
      </button>
      {asks && (
        <Dialog
          title={`Take ${countOf(asked.length, 'job')} back from ${worker}?`}
          onClose={() => setAsks(false)}
        >
          <p>
            Another worker runs {asked.length === 1 ? 'it' : 'them'} again; no attempt is spent. If this one
            is in the middle of an effect that can be neither repeated nor asked about, its outcome becomes
            unknown and waits for a person. If it merely takes long, leave it.
          </p>
          <DialogActions
            action={action}
            keep={asked.length === 1 ? 'Leave it' : 'Leave them'}
            onClose={() => setAsks(false)}
            act={`Take back ${formatCount(asked.length)}`}
            onAct={() => void reclaim()}
            isDangerous
          />
        </Dialog>
      )}
    </>
  );
}

/** Whether it was taken: never from another worker, which may have it by now and be well. */
async function takeBack(id: string, worker: string): Promise<boolean> {
  try {
    const job = await read<Job>(apiPath(['jobs', id]), {
      signal: new AbortController().signal,
      isRefresh: false,
    });
    if (job.worker !== worker) return false;
    await write('POST', apiPath(['jobs', id, 'reclaim']));
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return false;
    throw error;
  }
}
