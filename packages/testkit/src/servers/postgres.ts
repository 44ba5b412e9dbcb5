import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { freePort } from './free-port.js';
import { startGuardedProcess, type GuardedProcess } from './guarded-process.js';
import {
  asAccount,
  postgresBinaries,
  serverAccount,
  type Account,
  type PostgresBinaries,
} from './postgres-binaries.js';
import { READY_TIMEOUT_MS } from './ready-timeout.js';

const run = promisify(execFile);

export interface PostgresServerOptions {
  /** Left out: a temporary folder that `stop` removes. As root, `nobody` must be able to reach it. */
  dir?: string;
  /** False (default) leaves out fsync: enough for a server that does not outlive its tests. */
  durable?: boolean;
  /** More settings of postgresql.conf. */
  config?: Readonly<Record<string, string>>;
  /** Programs of another installation; default the embedded ones. */
  binaries?: PostgresBinaries;
}

export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ends sessions and transactions, then the server. Removes a temporary folder. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash; the folder stays for `restart`. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Lets the server outlive this process. */
  release(): void;
}

const USER = 'fairlane';

interface Cluster {
  data: string;
  log: string;
  account: Account | undefined;
  binaries: PostgresBinaries;
  password: string;
}

/** A private Postgres on a free port of the loopback, ready when this resolves. It dies with this process. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const account = await serverAccount();
  const binaries = options.binaries ?? (await postgresBinaries(account));
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'fairlane-postgres-')));
  const cluster = await createCluster(dir, binaries, account);
  const port = await freePort();
  let child = await startOn(port, cluster, options);
  return {
    url: `postgres://${USER}:${cluster.password}@127.0.0.1:${port}/postgres`,
    port,
    get pid() {
      return child.pid;
    },
    async stop() {
      await child.stop({ signal: 'SIGINT' });
      if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
    },
    kill: () => child.kill(),
    async restart() {
      await child.stop({ signal: 'SIGINT' });
      child = await startOn(port, cluster, options);
    },
    release: () => child.release(),
  };
}

/** Creates the database files, or takes those that are there. */
async function createCluster(
  dir: string,
  binaries: PostgresBinaries,
  account: Account | undefined,
): Promise<Cluster> {
  const data = join(dir, 'data');
  const passwordFile = join(dir, 'password');
  const log = join(dir, 'postgres.log');
  await mkdir(dir, { recursive: true });
  const known = await readFile(passwordFile, 'utf8').catch(() => undefined);
  if (known !== undefined) return { data, log, account, binaries, password: known };

  const password = randomBytes(16).toString('hex');
  await rm(data, { recursive: true, force: true });
  const unfinished = `${passwordFile}.new`;
  await writeFile(unfinished, password, { mode: 0o600 });
  for (const path of [dir, unfinished])
    if (account !== undefined) await chown(path, account.uid, account.gid);
  await run(
    binaries.initdb,
    [
      `--pgdata=${data}`,
      `--username=${USER}`,
      `--pwfile=${unfinished}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ],
    { ...account, cwd: dir },
  );
  // Written last: its presence says that the files are complete.
  await writeFile(passwordFile, password, { mode: 0o600 });
  await rm(unfinished);
  return { data, log, account, binaries, password };
}

/** What Postgres says when it refuses to start: processes of a server that was killed outlive it for a moment. */
const PREDECESSOR = 'pre-existing shared memory block';
const RETRY_MS = 50;

async function startOn(
  port: number,
  cluster: Cluster,
  options: PostgresServerOptions,
): Promise<GuardedProcess> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    try {
      return await startOnce(port, cluster, options);
    } catch (error) {
      if (!String(error).includes(PREDECESSOR) || Date.now() > deadline) throw error;
      await delay(RETRY_MS);
    }
  }
}

async function startOnce(
  port: number,
  { data, log, account, binaries }: Cluster,
  options: PostgresServerOptions,
): Promise<GuardedProcess> {
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    ...(options.durable === true ? {} : { fsync: 'off', synchronous_commit: 'off' }),
    ...options.config,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = asAccount(account, [binaries.postgres, '-D', data, ...flags]);
  const logFile = await open(log, 'a');
  const offset = (await logFile.stat()).size;
  try {
    const child = await startGuardedProcess({
      command: command[0] ?? '',
      args: command.slice(1),
      cwd: data,
      logFd: logFile.fd,
    });
    await untilReady(data, child).catch(async (error: unknown) => {
      await child.kill();
      const output = (await readFile(log, 'utf8')).slice(offset).trim().split('\n').slice(-5).join('\n');
      throw new Error(`Postgres did not start on port ${port}:\n${output}`, { cause: error });
    });
    return child;
  } finally {
    await logFile.close();
  }
}

/** The postmaster writes its state into its pid file: what pg_ctl waits for as well. */
async function untilReady(data: string, child: GuardedProcess): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exited) throw new Error(`it ended with ${await child.exit}`);
    const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    // A server that was killed leaves this file behind, saying that it is ready.
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return;
    await delay(10);
  }
  throw new Error(`it was not ready within ${READY_TIMEOUT_MS} ms`);
}
