import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../api/dist/main.js', import.meta.url));

export interface ApiProcess extends AsyncDisposable {
  /** As an operator. */
  call(
    method: string,
    path: string,
    body?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; json: Record<string, unknown> }>;
}

/** The API as it was built, in a process of its own. */
export async function startApi(env: Readonly<Record<string, string>>): Promise<ApiProcess> {
  const token = randomBytes(32).toString('base64url');
  const tokenHash = createHash('sha256').update(token).digest('hex');
  const tokens = JSON.stringify([{ id: 'operator', role: 'operator', tokenHash }]);
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'], API_PORT: '0', FAIRLANE_TOKENS: tokens, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, port } = JSON.parse(line) as { msg?: string; port?: number };
    if (msg !== 'listening') continue;
    child.stdout.resume();
    return {
      async call(method, path, body, headers = {}) {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body }),
        });
        const text = await response.text();
        return {
          status: response.status,
          json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
        };
      },
      async [Symbol.asyncDispose]() {
        child.kill('SIGKILL');
        await exit;
      },
    };
  }
  throw new Error('the API ended at its start');
}
