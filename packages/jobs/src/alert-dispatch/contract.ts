import { defineJob } from '@fairlane/sdk';
import { z } from 'zod';

const MINUTE_MS = 60_000;

/** A disk that is full: tell whoever is on duty, then write down what happened. */
export const alertDispatch = defineJob({
  name: 'alert.dispatch',
  payload: z.object({
    accountId: z.string().min(1).max(256),
    host: z.string().min(1).max(253),
    mount: z.string().min(1).max(1_024),
    /** Used space; above 100 where a file system counts its reserve. */
    percent: z.number().min(0).max(1_000),
    /** When it was measured. */
    at: z.iso.datetime({ offset: true }),
  }),
  account: (p) => p.accountId,
  key: (p) => [p.host, p.mount, Math.floor(Date.parse(p.at) / MINUTE_MS)],
  // Two readings within a minute are one alert, though they differ by a tenth of a per cent.
  onConflict: 'first',
  limitGroup: 'incident',
  queue: 'critical',
  tag: (p) => p.host,
  timeoutMs: 60_000,
  retry: { attempts: 3 },
});
