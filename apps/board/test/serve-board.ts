import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { connectRedis, createLogger, hashPassword, redisCheck, type BoardUser } from '@fairlane/runtime';
import { catalogue } from '@fairlane/jobs/contracts';
import { createBoardApp, type BoardDeps } from '../src/app.js';
import { readConsoleFiles } from '../src/console/console-files.js';
import { payloadRules } from '../src/queues/payload-rules.js';
import { BoardClient } from './board-client.js';

export const passwords = { viewer: 'look but not touch', operator: 'look and touch' };

export interface ServedBoard extends AsyncDisposable {
  url: string;
  /** Everything logged so far. */
  log: () => string;
  visit(): BoardClient;
  logIn(role: keyof typeof passwords): Promise<BoardClient>;
}

export interface ServeOptions {
  redisUrl: string;
  prefix: string;
  deps?: Partial<BoardDeps>;
}

/** A board on a free port, with a user of each role named after it. */
export async function serveBoard({ redisUrl, prefix, deps }: ServeOptions): Promise<ServedBoard> {
  let logged = '';
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  });
  const logger = createLogger({ app: 'board', level: 'info', destination });
  const redis = connectRedis(redisUrl, { name: 'board', logger });
  if (redis.status !== 'ready') await once(redis, 'ready');
  const app = createBoardApp({
    redis,
    prefix,
    logger,
    users: await boardUsers,
    queues: [],
    rules: payloadRules(catalogue),
    replay: async () => undefined,
    readyz: { redis: redisCheck(redis) },
    // Nothing listens there.
    apiUrl: 'http://127.0.0.1:9',
    files: readConsoleFiles(),
    deploymentName: 'test deployment',
    ...deps,
  });
  const server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const visit = (): BoardClient => new BoardClient(url);
  return {
    url,
    log: () => logged,
    visit,
    async logIn(role) {
      const client = visit();
      const response = await client.logIn(role, passwords[role]);
      if (response.status !== 303) throw new Error(`log-in answered ${response.status}`);
      return client;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      redis.disconnect();
      await once(server, 'close');
    },
  };
}

// Hashed once a file: it costs 50 ms of a core by design.
const boardUsers: Promise<BoardUser[]> = Promise.all(
  (['viewer', 'operator'] as const).map(async (role) => ({
    user: role,
    role,
    passwordHash: await hashPassword(passwords[role]),
  })),
);
