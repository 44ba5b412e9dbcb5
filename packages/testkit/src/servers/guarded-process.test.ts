import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { PATIENCE_MS, temporaryFolder } from '../vitest/index.js';
import { isAlive, untilGone } from './liveness.js';

const redis = fileURLToPath(new URL('redis.ts', import.meta.url));

/** A parent of its own, since the point is what happens when it dies without a word. */
async function parentWithServer() {
  const program = `
    const { startRedis } = await import(${JSON.stringify(redis)});
    const server = await startRedis({ appendonly: false, dir: ${JSON.stringify(temporaryFolder())} });
    process.stdout.write(String(server.pid) + '\\n');
    process.stdin.resume();
  `;
  const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(parent.stdout, 'data');
  return { parent, serverPid: Number(String(line)) };
}

describe('a guarded process', () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'does not outlive a parent ended by %s',
    async (signal) => {
      const { parent, serverPid } = await parentWithServer();
      expect(isAlive(serverPid)).toBe(true);
      parent.kill(signal);
      await untilGone(serverPid, PATIENCE_MS);
      expect(isAlive(serverPid)).toBe(false);
    },
  );
});
