import { useRedis } from '@fairlane/testkit/vitest';
import { afterEach, describe, expect, it } from 'vitest';
import { startApiProcess, token } from './testing-support/api-process.js';

const redis = useRedis();

const startProcess = (env: Record<string, string> = {}) => startApiProcess(redis, env);

afterEach(async () => {
  await redis.client.config('SET', 'maxmemory-policy', 'noeviction');
});

describe('the api process', () => {
  it('serves until SIGTERM, then finishes what it has and exits 0', async () => {
    const { child, lines, listening, exit } = startProcess();
    const url = await listening;
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ok', checks: { redis: 'ok', ledger: 'ok', process: 'ok' } },
    ]);
    const response = await fetch(`${url}/v1/queues`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    await response.text();
    child.kill('SIGTERM');
    expect(await exit()).toEqual({ code: 0, stderr: '' });
    // Lines of requests are written several at a time; the last ones are not forgotten.
    const request = expect.objectContaining({ path: '/v1/queues' }) as unknown;
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'request', status: 200, request }));
  });

  it('finishes a batch that is under way when SIGTERM comes', async () => {
    const { child, lines, listening, exit } = startProcess();
    const url = await listening;
    let push!: (line: string) => void;
    let end!: () => void;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        push = (line) => controller.enqueue(Buffer.from(line));
        end = () => controller.close();
      },
    });
    const answer = fetch(`${url}/v1/jobs/outreach.send/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body,
      duplex: 'half',
    });
    push('{}\n');
    const response = await answer;
    child.kill('SIGTERM');
    await expect.poll(() => lines.some(({ msg }) => msg === 'shutting down')).toBe(true);
    push('{}\n');
    end();
    expect(await response.text()).toContain('{"summary":{"accepted":0,"duplicates":0,"rejected":2}}');
    expect((await exit()).code).toBe(0);
  });

  it('does not start with a wrong environment: one message, naming the variable', async () => {
    const { exit } = startProcess({ FAIRLANE_TOKENS: '[]' });
    const { code, stderr } = await exit();
    expect(code).toBe(1);
    expect(stderr).toBe(
      'Cannot start, the environment is wrong. FAIRLANE_TOKENS: must hold at least one token\n',
    );
  });

  it('is not ready, but serves, while the ledger cannot be used', async () => {
    const { child, listening, exit } = startProcess({
      FAIRLANE_LEDGER: 'postgres',
      DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/none',
    });
    const url = await listening;
    const ready = await fetch(`${url}/readyz`);
    const text = await ready.text();
    expect([ready.status, text]).toEqual([
      503,
      expect.stringContaining('the ledger of effects cannot be used'),
    ]);
    expect(text).not.toContain('hunter2');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect((await exit()).code).toBe(0);
  });

  it('A29 does not start on a Redis that may evict, and says so', async () => {
    await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const { lines, exit } = startProcess();
    expect((await exit()).code).toBe(1);
    expect(JSON.stringify(lines)).toContain('maxmemory-policy is allkeys-lru');
  });

  it('says when its port is taken', async () => {
    const first = startProcess();
    const url = await first.listening;
    const second = startProcess({ API_PORT: new URL(url).port });
    expect((await second.exit()).code).toBe(1);
    expect(JSON.stringify(second.lines)).toContain('API_PORT: is the port of something else already');
    first.child.kill('SIGTERM');
    await first.exit();
  });
});
