import { useState } from 'react';
import { isOperator } from '../../api/session.js';
import type { Account } from '../../api/types.js';
import { formatCount } from '../../format/numbers.js';
import { useIsLive } from '../../live/use-connection.js';
import { SettingsDialog } from './settings-dialog.js';
import { describeWindows } from './settings-form.js';

export function Settings({ view }: { view: Account }) {
  const [isEdited, setEdited] = useState(false);
  const isLive = useIsLive();
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <dl className="facts">
        <div>
          <dt>Share</dt>
          <dd>{formatCount(view.weight)}</dd>
        </div>
        <div>
          <dt>Sending hours</dt>
          <dd>{describeWindows(view.windows)}</dd>
        </div>
      </dl>
      {isOperator && (
        <button type="button" disabled={!isLive} onClick={() => setEdited(true)}>
          Edit share and sending hours
        </button>
      )}
      {isEdited && <SettingsDialog view={view} onClose={() => setEdited(false)} />}
    </section>
  );
}
