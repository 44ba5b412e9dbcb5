import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { freePort } from '../servers/free-port.js';
import { temporaryFolder } from '../vitest/index.js';
import { appEnvironment, fixedPort } from './app-environment.js';
import { claimFolder } from './folder-claim.js';

describe('a fixed port', () => {
  it('is the one that the variable names', async () => {
    const port = await freePort();
    expect(await fixedPort('API_PORT', 3000, { API_PORT: String(port) })).toBe(port);
  });

  it('that is taken is refused with the variable and the ways out', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const refused = fixedPort('BOARD_PORT', 3001, { BOARD_PORT: String(port) });
    await expect(refused).rejects.toThrow(`port ${port} is in use. Stop what listens on it, set BOARD_PORT`);
  });

  it.each(['0', '70000', 'http', '30.5'])('%s is no port', async (text) => {
    await expect(fixedPort('API_PORT', 3000, { API_PORT: text })).rejects.toThrow('API_PORT must be a port');
  });
});

describe('the folder of npm start', () => {
  it('belongs to one command at a time', async () => {
    const dir = temporaryFolder();
    const leave = await claimFolder(dir);
    await expect(claimFolder(dir)).rejects.toThrow(`already runs here (process ${process.pid})`);
    await leave();
    await (
      await claimFolder(dir)
    )();
  });

  it('is free again when its owner died without leaving', async () => {
    const dir = temporaryFolder();
    await writeFile(join(dir, 'owner'), '4000000 gone-long-ago');
    await claimFolder(dir);
    expect(await readFile(join(dir, 'owner'), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
  });
});

describe('the environment of the apps', () => {
  it('has what is documented and set, and no address or credential', () => {
    const env = {
      LOG_LEVEL: 'debug',
      WORKER_GRACE_MS: '',
      REDIS_URL: 'redis://a',
      FAIRLANE_TOKENS: '[]',
      HOME: '/x',
      JOB_BILLING_CHARGE_URL: 'http://127.0.0.1:8080',
      JOB_TOKEN: 'x',
    };
    expect(appEnvironment(env)).toEqual({
      LOG_LEVEL: 'debug',
      JOB_BILLING_CHARGE_URL: 'http://127.0.0.1:8080',
    });
  });
});
