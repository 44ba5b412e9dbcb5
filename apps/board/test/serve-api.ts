import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateToken, hashToken, type BoardApiTokens } from '@fairlane/runtime';
import { freePort, startGuardedProcess } from '@fairlane/testkit';

const main = fileURLToPath(new URL('../../api/dist/main.js', import.meta.url));

export interface ServedApi extends AsyncDisposable {
  url: string;
  /** What the board is given. */
  tokens: BoardApiTokens;
  /** Everything logged so far. */
  log: () => string;
  /** SIGKILL; {@link ServedApi.restart} brings it back at the same address. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** The real API as a process of its own, as it was built: it starts in half the time. */
export async function serveApi(
  redisUrl: string,
  prefix: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServedApi> {
  const tokens = { viewer: generateToken(), operator: generateToken() };
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const records = (['viewer', 'operator'] as const).map((role) => {
    return { id: `board-${role}`, role, tokenHash: hashToken(tokens[role]) };
  });
  const folder = mkdtempSync(join(tmpdir(), 'fairlane-api-'));
  const logFile = join(folder, 'api.log');
  const start = async () => {
    const logFd = openSync(logFile, 'a');
    const { PATH, HOME } = process.env;
    const child = await startGuardedProcess({
      command: process.execPath,
      args: [main],
      env: {
        PATH,
        HOME,
        REDIS_URL: redisUrl,
        FAIRLANE_PREFIX: prefix,
        API_PORT: String(port),
        FAIRLANE_TOKENS: JSON.stringify(records),
        ...environment,
      },
      logFd,
    });
    closeSync(logFd);
    await untilReady(url, child, () => readFileSync(logFile, 'utf8'));
    return child;
  };
  let child = await start();
  return {
    url,
    tokens,
    log: () => readFileSync(logFile, 'utf8'),
    kill: () => child.kill(),
    async restart() {
      child = await start();
    },
    async [Symbol.asyncDispose]() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(url: string, child: { exited: boolean }, log: () => string): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok === true) return;
    if (child.exited || Date.now() > deadline) throw new Error(`the API did not get ready:\n${log()}`);
    await once(AbortSignal.timeout(50), 'abort');
  }
}
