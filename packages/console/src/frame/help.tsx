import { Dialog } from '../parts/dialog.js';
import { shortcuts } from './keyboard.js';

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {shortcuts.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" data-first-focus onClick={onClose}>
        Close
      </button>
    </Dialog>
  );
}
