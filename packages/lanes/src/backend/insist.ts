import { setTimeout as delay } from 'node:timers/promises';

/** Pause before the server is asked again for what it has refused. */
const PAUSE_MS = 1_000;

export interface Insistence {
  readonly isClosing: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** Again until it is done: a server that is full or read-only refuses now, and nobody else does it later. */
export async function insist(step: () => Promise<unknown>, insistence: Insistence): Promise<void> {
  while (!insistence.isClosing()) {
    try {
      await step();
      return;
    } catch (error) {
      insistence.onError(error);
      await delay(PAUSE_MS, undefined, { ref: false });
    }
  }
}
