import { existsSync } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { freePort } from '../servers/free-port.js';
import { startGuardedProcess, type GuardedProcess } from '../servers/guarded-process.js';
import { READY_TIMEOUT_MS } from '../servers/ready-timeout.js';

export interface ServiceOptions {
  /** Also the name of its log file. */
  name: string;
  /** The built program, run by this Node. */
  main: string;
  /** How it is told its port. */
  args?: (port: number) => readonly string[];
  env?: (port: number) => Readonly<Record<string, string>>;
  /** Left out: a free one. */
  port?: number | undefined;
  /** Answers 2xx as soon as the service can be used. */
  readyPath: string;
  logDir: string;
  signal: AbortSignal;
}

export interface Service extends GuardedProcess {
  readonly name: string;
  readonly url: string;
  readonly logFile: string;
}

const PORT_ATTEMPTS = 5;

/** Starts one program of a deployment, its output in a log file, and waits until it is ready. */
export async function startService(options: ServiceOptions): Promise<Service> {
  if (!existsSync(options.main)) {
    throw new Error(`${options.main} is missing: build first ("npx turbo run build")`);
  }
  await mkdir(options.logDir, { recursive: true });
  for (let attempt = 1; ; attempt += 1) {
    options.signal.throwIfAborted();
    try {
      return await startOn(options.port ?? (await freePort()), options);
    } catch (error) {
      // Between looking for a free port and listening on it somebody else may take it.
      const again = options.port === undefined && attempt < PORT_ATTEMPTS;
      if (!(error instanceof Error && error.message.includes('EADDRINUSE') && again)) throw error;
    }
  }
}

async function startOn(port: number, options: ServiceOptions): Promise<Service> {
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(options.logDir, `${options.name}.log`);
  const log = await open(logFile, 'w');
  let child: GuardedProcess;
  try {
    child = await startGuardedProcess({
      command: process.execPath,
      args: [options.main, ...(options.args?.(port) ?? [])],
      env: { ...systemEnv(), ...options.env?.(port) },
      logFd: log.fd,
    });
  } finally {
    await log.close();
  }
  try {
    await untilReady(`${url}${options.readyPath}`, child, options.signal);
  } catch (error) {
    await child.stop({ graceMs: 2_000 });
    options.signal.throwIfAborted();
    const output = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-5).join('\n');
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${options.name} did not get ready, ${reason}:\n${output}`, { cause: error });
  }
  return withDetails(child, { name: options.name, url, logFile });
}

function withDetails<D extends object>(child: GuardedProcess, details: D): GuardedProcess & D {
  return {
    ...details,
    pid: child.pid,
    exit: child.exit,
    get exited() {
      return child.exited;
    },
    stop: (options) => child.stop(options),
    kill: () => child.kill(),
    release: () => child.release(),
  };
}

/** A variable of Fairlane that happens to be set in the shell must not reach a service unseen. */
function systemEnv(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, TZ, TMPDIR, NODE_OPTIONS, NODE_EXTRA_CA_CERTS } = process.env;
  return { PATH, HOME, LANG, TZ, TMPDIR, NODE_OPTIONS, NODE_EXTRA_CA_CERTS, NODE_ENV: 'production' };
}

async function untilReady(url: string, child: GuardedProcess, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exited) throw new Error(`it ended with ${await child.exit}`);
    if (await answers(url, signal)) return;
    await delay(25, undefined, { signal });
  }
  throw new Error(`no good answer from ${url} within ${READY_TIMEOUT_MS} ms`);
}

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(2_000)]) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
