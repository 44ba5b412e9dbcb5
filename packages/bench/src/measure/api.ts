import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { freePort, startGuardedProcess } from '@fairlane/testkit';

const MAIN = fileURLToPath(new URL('../../../../apps/api/dist/main.js', import.meta.url));
const READY_TIMEOUT_MS = 15_000;

export interface Api {
  readonly url: string;
  readonly token: string;
}

/** The API as shipped, in a process of its own. */
export async function withApi<T>(redisPort: number, use: (api: Api) => Promise<T>): Promise<T> {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: build first ("npx turbo run build")`);
  const token = randomBytes(32).toString('base64url');
  const tokenHash = createHash('sha256').update(token).digest('hex');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startGuardedProcess({
    command: process.execPath,
    args: [MAIN],
    env: {
      PATH: process.env['PATH'],
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      API_PORT: String(port),
      FAIRLANE_TOKENS: JSON.stringify([{ id: 'bench', role: 'producer', tokenHash }]),
    },
  });
  try {
    await untilReady(url);
    return await use({ url, token });
  } finally {
    await server.stop();
  }
}

async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const ready = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await delay(50);
  }
  throw new Error(`the API was not ready within ${READY_TIMEOUT_MS} ms`);
}
