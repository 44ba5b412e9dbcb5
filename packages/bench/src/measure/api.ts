import { createHash, randomBytes } from 'node:crypto';

import { withApp } from './app-process.js';

export interface Api {
  readonly url: string;
  readonly token: string;
}

/** The API as shipped, in a process of its own. */
export async function withApi<T>(
  redisPort: number,
  use: (api: Api) => Promise<T>,
  env: Readonly<Record<string, string>> = {},
): Promise<T> {
  const token = randomBytes(32).toString('base64url');
  const tokenHash = createHash('sha256').update(token).digest('hex');
  const known = {
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    FAIRLANE_TOKENS: JSON.stringify([{ id: 'bench', role: 'producer', tokenHash }]),
  };
  return withApp('api', { ...known, ...env }, (url) => use({ url, token }));
}
