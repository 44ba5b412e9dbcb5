import { useSyncExternalStore } from 'react';

// One timer for every age on the screen, so that all of them turn at once.
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, in whole seconds' steps. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
