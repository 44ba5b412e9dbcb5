import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { generateToken, hashToken } from '@fairlane/runtime';
import { onTestFinished } from 'vitest';

const main = new URL('../../dist/main.js', import.meta.url).pathname;

/** Of the operator that every process knows. */
export const token = generateToken();

/** The API as a process of its own, as it was built: it starts in half the time. Killed when the test ends. */
export function startApiProcess(redis: { url: string; prefix: string }, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env['PATH'],
      REDIS_URL: redis.url,
      FAIRLANE_PREFIX: redis.prefix,
      FAIRLANE_TOKENS: JSON.stringify([{ id: 'op', tokenHash: hashToken(token), role: 'operator' }]),
      API_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close') as Promise<[number | null]>;
  let stderr = '';
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  const lines: Record<string, unknown>[] = [];
  const listening = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as Record<string, unknown>;
      lines.push(line);
      if (line['msg'] === 'listening') resolve(`http://127.0.0.1:${String(line['port'])}`);
    });
  });
  return { child, lines, listening, exit: async () => ({ code: (await ended)[0], stderr }) };
}
