import { useSyncExternalStore } from 'react';

// One region for the whole page: several would talk over each other.
let message = '';
const listeners = new Set<() => void>();

/** Shown at the foot of the page and read out. */
export function announce(text: string): void {
  message = text;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function StatusRegion() {
  const text = useSyncExternalStore(subscribe, () => message);
  return (
    <div role="status" className={text === '' ? 'status' : 'status shown'}>
      {text}
      {text !== '' && (
        <button type="button" className="link" onClick={() => announce('')}>
          Dismiss
        </button>
      )}
    </div>
  );
}
