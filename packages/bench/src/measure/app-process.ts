import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { freePort, startGuardedProcess } from '@fairlane/testkit';

const READY_TIMEOUT_MS = 15_000;

/** An app as shipped, in a process of its own; ready when `use` is called, ended after it. */
export async function withApp<T>(
  app: 'api' | 'worker',
  env: Readonly<Record<string, string>>,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const main = fileURLToPath(new URL(`../../../../apps/${app}/dist/main.js`, import.meta.url));
  if (!existsSync(main)) throw new Error(`${main} is missing: build first ("npx turbo run build")`);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const portName = app === 'api' ? 'API_PORT' : 'WORKER_HEALTH_PORT';
  const server = await startGuardedProcess({
    command: process.execPath,
    args: [main],
    env: { PATH: process.env['PATH'], [portName]: String(port), ...env },
  });
  try {
    await untilReady(app, url);
    return await use(url);
  } finally {
    await server.stop();
  }
}

async function untilReady(app: string, url: string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const ready = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await delay(50);
  }
  throw new Error(`the ${app} was not ready within ${READY_TIMEOUT_MS} ms`);
}
