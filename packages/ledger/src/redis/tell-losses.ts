import type { Redis } from 'ioredis';

/**
 * Without a listener an `error` event would end the process (A39). One call a loss, not one a try: the client tries to
 * connect for ever, once a second.
 */
export function tellLosses(client: Redis, onError: (error: unknown) => void): void {
  let isLost = false;
  client.on('error', (error: unknown) => {
    if (!isLost) onError(error);
    isLost = true;
  });
  client.on('ready', () => (isLost = false));
}
