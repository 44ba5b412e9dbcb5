import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { freePort } from './free-port.js';
import { startGuardedProcess } from './guarded-process.js';
import { asAccount, serverAccount } from './postgres-binaries.js';
import { READY_TIMEOUT_MS } from './ready-timeout.js';

const run = promisify(execFile);

export interface PgBouncer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Debian's package `pgbouncer`. */
export async function hasPgBouncer(): Promise<boolean> {
  return run('pgbouncer', ['--version']).then(
    () => true,
    () => false,
  );
}

/** A transaction-pooling proxy that shares `poolSize` server connections among all clients. */
export async function startPgBouncer(databaseUrl: string, poolSize: number): Promise<PgBouncer> {
  const { username, password, port: serverPort } = new URL(databaseUrl);
  const dir = await mkdtemp(join(tmpdir(), 'fairlane-pgbouncer-'));
  const port = await freePort();
  const config = join(dir, 'pgbouncer.ini');
  await writeFile(
    config,
    `[databases]
postgres = host=127.0.0.1 port=${serverPort} user=${username} password=${password} dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
`,
  );
  // It refuses to run as root.
  const account = await serverAccount();
  if (account !== undefined) {
    for (const path of [dir, config]) await chown(path, account.uid, account.gid);
  }
  const command = asAccount(account, ['pgbouncer', config]);
  const child = await startGuardedProcess({ command: command[0] ?? '', args: command.slice(1) });
  await untilListening(port);
  return {
    url: `postgres://${username}:any@127.0.0.1:${port}/postgres`,
    async stop() {
      await child.stop({ signal: 'SIGINT' });
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function untilListening(port: number): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await accepts(port))) {
    if (Date.now() > deadline) throw new Error(`pgbouncer did not listen within ${READY_TIMEOUT_MS} ms`);
    await delay(20);
  }
}

async function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
