import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import type { ApiClient } from '../demo/api-client.js';

const PATIENCE_MS = 90_000;
const PAUSE_MS = 500;

/** The API answers 503 while its Redis is away, which is what these runs are about: asked again until it is back. */
export function patientApi(api: ApiClient, signal: AbortSignal): ApiClient {
  // All calls of a batch wait at the same time, which is no leak.
  setMaxListeners(0, signal);
  const patiently = async <T>(call: () => Promise<T>): Promise<T> => {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        signal.throwIfAborted();
        if (performance.now() > deadline) throw error;
        await delay(PAUSE_MS, undefined, { signal });
      }
    }
  };
  return {
    ...api,
    job: async (id) => patiently(async () => api.job(id)),
    workers: async () => patiently(async () => api.workers()),
    setLimit: async (...limit) => patiently(async () => api.setLimit(...limit)),
  };
}
