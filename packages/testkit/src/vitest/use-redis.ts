import { setTimeout as delay } from 'node:timers/promises';

import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach } from 'vitest';

import { startRedis, type RedisServer, type RedisServerOptions } from '../servers/redis.js';
import { PATIENCE_MS } from './patience.js';

export interface RedisInTests {
  readonly url: string;
  /** A key prefix that no other test of the file has, hash tag included. */
  readonly prefix: string;
  readonly server: RedisServer;
  /** A connection for the test's own looks at keys; closed after the last test. */
  readonly client: Redis;
}

/**
 * Call once at the top of a test file: one private server for the file, a prefix per test. Connections
 * still open after the last test fail the file, since a leak in a test is a leak in the product.
 */
export function useRedis(options: RedisServerOptions = {}): RedisInTests {
  let server: RedisServer | undefined;
  let client: Redis | undefined;
  let testCount = 0;

  beforeAll(async () => {
    server = await startRedis({ appendonly: false, ...options });
    client = new Redis(server.url, { maxRetriesPerRequest: 1 });
  });
  beforeEach(() => {
    testCount += 1;
  });
  afterAll(async () => {
    try {
      if (client !== undefined) await expectNoOtherConnection(client, PATIENCE_MS);
    } finally {
      client?.disconnect();
      await server?.stop();
    }
  });

  return {
    get url() {
      return started(server).url;
    },
    get prefix() {
      return `{test-${testCount}}`;
    },
    get server() {
      return started(server);
    },
    get client() {
      return started(client);
    },
  };
}

/** Closing a socket is seen by the server a moment later, hence the deadline. */
export async function expectNoOtherConnection(client: Redis, graceMs: number): Promise<void> {
  const own = String(await client.client('ID'));
  const deadline = Date.now() + graceMs;
  for (;;) {
    const list = String(await client.client('LIST'));
    const others = list
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith(`id=${own} `));
    if (others.length === 0) return;
    if (Date.now() > deadline) {
      throw new Error(
        `${others.length} connection(s) to Redis left open by the tests:\n${others.join('\n')}`,
      );
    }
    await delay(20);
  }
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('useRedis() is ready inside tests and hooks only');
  return value;
}
