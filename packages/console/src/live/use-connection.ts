import { useSyncExternalStore } from 'react';
import { connection, type ConnectionView } from './connection.js';

export function useConnection(): ConnectionView {
  return useSyncExternalStore(connection.subscribe, connection.view);
}

/** Actions are off while what is shown may be old. */
export function useIsLive(): boolean {
  return useConnection().state === 'live';
}
