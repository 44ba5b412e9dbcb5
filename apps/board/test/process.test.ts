import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { hashPassword } from '@fairlane/runtime';
import { START_PATIENCE_MS, useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, test } from 'vitest';
import { BoardClient } from './board-client.js';

const redis = useRedis();
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

async function environment(): Promise<Record<string, string>> {
  const users = [{ user: 'ann', role: 'operator', passwordHash: await hashPassword('secret') }];
  return {
    REDIS_URL: redis.url,
    FAIRLANE_PREFIX: redis.prefix,
    BOARD_PORT: '0',
    BOARD_USERS: JSON.stringify(users),
  };
}

function startBoard(env: Record<string, string>) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [main], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) =>
    lines.push(JSON.parse(line) as Record<string, unknown>),
  );
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return {
    exit,
    lines,
    stderr: () => stderr,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    async url(): Promise<string> {
      const hasBegun = () => lines.length > 0 || child.exitCode !== null;
      await expect.poll(hasBegun, { timeout: START_PATIENCE_MS }).toBe(true);
      return String(lines.find((line) => line['ready'] === 'board')?.['url']);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

describe('the board as a process', () => {
  test('serves the queues of the catalogue and ends on SIGTERM with a browser still polling', async () => {
    await using board = startBoard(await environment());
    const url = await board.url();
    const client = new BoardClient(url);
    expect((await client.request('/readyz')).status).toBe(200);
    await client.logIn('ann', 'secret');
    const { queues } = (await (await client.request('/queues/api/queues')).json()) as {
      queues: { name: string }[];
    };
    expect(queues.map(({ name }) => name)).toEqual(['critical', 'outreach', 'webhooks', 'bulk', 'analytics']);

    board.kill('SIGTERM');
    const polling = (async () => {
      for (;;) if (!(await client.request('/queues/api/queues').catch(() => undefined))) return;
    })();
    expect(await board.exit).toBe(0);
    await polling;
  });

  test.each([
    ['BOARD_USERS', '[{"user":"ann","passwordHash":"plain","role":"operator"}]'],
    ['BOARD_USERS', ''],
    ['BASE_PATH', '/x"><script>'],
    ['BOARD_PORT', '70000'],
  ])(
    'a bad %s ends it with one message that names the variable and repeats no value',
    async (name, value) => {
      await using board = startBoard({ ...(await environment()), [name]: value });
      expect(await board.exit).toBe(1);
      expect(board.stderr().trim().split('\n')).toEqual([expect.stringContaining(name)]);
      expect(value !== '' && board.stderr().includes(value)).toBe(false);
    },
  );

  test('a busy port ends it with one line that says so', async () => {
    await using first = startBoard(await environment());
    const { port } = new URL(await first.url());
    await using second = startBoard({ ...(await environment()), BOARD_PORT: port });
    expect(await second.exit).toBe(1);
    expect(JSON.stringify(second.lines)).toContain('BOARD_PORT: is the port of something else already');
  });
});
