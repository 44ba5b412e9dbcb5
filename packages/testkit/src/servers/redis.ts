import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { freePort } from './free-port.js';
import { startGuardedProcess, type GuardedProcess } from './guarded-process.js';
import { READY_TIMEOUT_MS } from './ready-timeout.js';

export interface RedisServerOptions {
  /** Where the append-only file lives. Left out: a temporary folder that `stop` removes. */
  dir?: string;
  /** Default true. */
  appendonly?: boolean;
  /** `always` loses nothing even with the host; `everysec` (default) nothing with the process. */
  appendfsync?: 'always' | 'everysec';
  /** More settings of redis.conf, such as `{ hz: '100' }`. */
  config?: Readonly<Record<string, string>>;
  /** Program to start; default `FAIRLANE_REDIS_SERVER`, else `redis-server` of the PATH. */
  command?: string;
}

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly dir: string;
  /** Graceful: what was written is on disk. Removes a temporary folder. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash; the folder stays for `restart`. */
  kill(): Promise<void>;
  /** Starts again on the same port and folder, after `kill` or while it runs. */
  restart(): Promise<void>;
  /** Lets the server outlive this process, from now on. */
  release(): void;
}

const PORT_ATTEMPTS = 5;

/** A private Redis on a free port of the loopback, ready when this resolves. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const temporary = options.dir === undefined;
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'fairlane-redis-')));
  await mkdir(dir, { recursive: true });

  let { child, port } = await startOnFreePort(options, dir);
  return {
    get url() {
      return `redis://127.0.0.1:${port}`;
    },
    get port() {
      return port;
    },
    get pid() {
      return child.pid;
    },
    dir,
    async stop() {
      await child.stop();
      if (temporary) await rm(dir, { recursive: true, force: true });
    },
    async kill() {
      await child.kill();
    },
    async restart() {
      await child.stop();
      child = await startOn(port, options, dir);
    },
    release() {
      child.release();
    },
  };
}

async function startOnFreePort(
  options: RedisServerOptions,
  dir: string,
): Promise<{ child: GuardedProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return { child: await startOn(port, options, dir), port };
    } catch (error) {
      const taken = error instanceof Error && error.message.includes('Address already in use');
      if (!taken || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function startOn(port: number, options: RedisServerOptions, dir: string): Promise<GuardedProcess> {
  const command = options.command ?? process.env['FAIRLANE_REDIS_SERVER'] ?? 'redis-server';
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir,
    save: '',
    daemonize: 'no',
    appendonly: options.appendonly === false ? 'no' : 'yes',
    appendfsync: options.appendfsync ?? 'everysec',
    'maxmemory-policy': 'noeviction',
    ...options.config,
  };
  const logPath = join(dir, 'redis.log');
  const log = await open(logPath, 'a');
  const offset = (await log.stat()).size;
  let child: GuardedProcess;
  try {
    child = await startGuardedProcess({
      command,
      args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
      logFd: log.fd,
    });
  } finally {
    await log.close();
  }
  try {
    await untilReady(port, child);
  } catch (error) {
    await child.kill();
    const output = (await readFile(logPath, 'utf8')).slice(offset).trim().split('\n').slice(-5).join('\n');
    throw new Error(`${command} did not start on port ${port}:\n${output}`, { cause: error });
  }
  return child;
}

/** Ready = answers PING with PONG; while the append-only file is read the answer is an error. */
async function untilReady(port: number, child: GuardedProcess): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exited) throw new Error(`it ended with ${await child.exit}`);
    if ((await ping(port)) === '+PONG\r\n') {
      // A stranger on the port answers too, while our own child fails to bind.
      if (!child.exited) return;
    } else {
      await delay(10);
    }
  }
  throw new Error(`no PONG within ${READY_TIMEOUT_MS} ms`);
}

async function ping(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(1_000, () => socket.destroy());
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.once('error', () => resolve(''));
    socket.once('close', () => resolve(''));
  });
}
