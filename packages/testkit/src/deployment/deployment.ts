import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { startPostgres } from '../servers/postgres.js';
import { startRedis } from '../servers/redis.js';
import { createCredentials, type Credentials } from './credentials.js';
import { RunningServices, type Stage } from './running-services.js';
import { startService, type Service, type ServiceOptions } from './service.js';

/** Where the effects of jobs are kept. */
export const LEDGERS = ['redis', 'postgres'] as const;
export type Ledger = (typeof LEDGERS)[number];

export interface DeploymentOptions {
  /** Where Redis keeps its file, the apps large payloads and the services their logs. */
  dir: string;
  workers: number;
  /** A server that runs already; a private one under `dir` otherwise. */
  redisUrl?: string | undefined;
  appendfsync: 'always' | 'everysec';
  ledger: Ledger;
  /** A Postgres that runs already; with `ledger: 'postgres'` a private one otherwise. */
  databaseUrl?: string | undefined;
  /** Where the private Postgres keeps its files; left out: a temporary folder that goes when it stops. */
  databaseDir?: string | undefined;
  prefix: string;
  /** A sandbox platform that runs already; an own one otherwise. */
  sandboxUrl?: string | undefined;
  sandboxSeed: number;
  /** Accounts the own sandbox platform has from the start. */
  sandboxAccounts: number;
  /** Left out: free ones. */
  apiPort?: number | undefined;
  boardPort?: number | undefined;
  /** More environment of the apps, such as LOG_LEVEL. */
  env: Readonly<Record<string, string>>;
  /** Told when a service ends that nobody stopped. */
  onCasualty: (service: Service) => void;
  /** Aborting it makes a start that is under way fail, with everything stopped again. */
  signal: AbortSignal;
}

/** What `--json` of `npm start` writes. */
export interface DeploymentDescription {
  api: string;
  board: string;
  workers: { pid: number; health: string; metrics: string }[];
  redisUrl: string;
  databaseUrl?: string;
  sandbox: string;
  tokens: Credentials['tokens'];
  boardUsers: Credentials['boardUsers'];
}

export interface Deployment {
  describe(): DeploymentDescription;
  workerPids(): number[];
  /** SIGKILL, then another worker in its place. */
  replaceWorker(pid: number): Promise<void>;
  /** Everything that was started, in the order to stop it. */
  processes(): { name: string; pid: number }[];
  stop(): Promise<void>;
  /** Lets all of it outlive this process. */
  release(): void;
}

/**
 * With the memory of a large machine V8 lets the old part of the heap grow to four times of what is in use before it
 * looks for garbage there; with this bound, which the API comes nowhere near, to less than twice.
 */
const API_NODE_OPTIONS = '--max-old-space-size=1024';
const MIGRATE = fileURLToPath(new URL('../../../ledger/dist/migrate-main.js', import.meta.url));
const APPS = fileURLToPath(new URL('../../../../apps/', import.meta.url));
// The built one, wherever this file runs from: what is deployed is what is shipped.
const SANDBOX = fileURLToPath(new URL('../../dist/sandbox/main.js', import.meta.url));

/** Starts Redis, the sandbox platform and the three apps as processes of their own. */
export async function startDeployment(options: DeploymentOptions): Promise<Deployment> {
  const running = new RunningServices();
  try {
    return await startAll(options, running);
  } catch (error) {
    await running.stop();
    throw error;
  }
}

async function startAll(options: DeploymentOptions, running: RunningServices): Promise<Deployment> {
  const common = { logDir: join(options.dir, 'logs'), signal: options.signal };
  const start = async (
    stage: Stage,
    service: Omit<ServiceOptions, keyof typeof common>,
  ): Promise<Service> => {
    const started = await startService({ ...service, ...common });
    await running.add(stage, started);
    void reportCasualty(started);
    return started;
  };

  const reportCasualty = async (service: Service) => {
    await service.exit;
    if (running.expects(service)) options.onCasualty(service);
  };

  const redisUrl = options.redisUrl ?? (await startPrivateRedis(options, running));
  const databaseUrl =
    options.databaseUrl ??
    (options.ledger === 'postgres' ? await startPrivatePostgres(options, running) : undefined);
  if (options.ledger === 'postgres' && databaseUrl !== undefined) {
    await migrateLedger(databaseUrl, options.signal);
  }
  const sandboxUrl = options.sandboxUrl ?? (await start('sandbox', sandboxService(options))).url;

  const credentials = createCredentials();
  const env = {
    // One machine: a folder is shared by all its processes.
    FAIRLANE_BLOB_STORE: `file:${join(options.dir, 'blobs')}`,
    ...options.env,
    ...credentials.env,
    REDIS_URL: redisUrl,
    FAIRLANE_PREFIX: options.prefix,
    FAIRLANE_LEDGER: options.ledger,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    OUTREACH_GATEWAY_URL: sandboxUrl,
  };
  const app = (
    name: string,
    portVariable: string,
    {
      port,
      instance = name,
      more = {},
    }: { port?: number; instance?: string; more?: typeof options.env } = {},
  ) => ({
    name: instance,
    main: join(APPS, name, 'dist/main.js'),
    env: (port: number) => ({ ...env, ...more, [portVariable]: String(port) }),
    port,
    readyPath: '/readyz',
  });
  let workerCount = 0;
  const workers = new Set<Service>();
  const startWorker = async () => {
    workerCount += 1;
    workers.add(
      await start('worker', app('worker', 'WORKER_HEALTH_PORT', { instance: `worker-${workerCount}` })),
    );
  };

  const startFront = async () => {
    const api = await start(
      'front',
      app('api', 'API_PORT', { ...portOf(options.apiPort), more: { NODE_OPTIONS: API_NODE_OPTIONS } }),
    );
    const more = { ...credentials.boardEnv, FAIRLANE_API_URL: api.url };
    const board = await start('front', app('board', 'BOARD_PORT', { ...portOf(options.boardPort), more }));
    return { api, board };
  };
  const [{ api, board }] = await allOrFirstError([
    startFront(),
    ...Array.from({ length: options.workers }, startWorker),
  ] as const);

  return {
    describe: () => ({
      api: api.url,
      board: board.url,
      workers: [...workers].map(({ pid, url }) => ({
        pid,
        health: `${url}/healthz`,
        metrics: `${url}/metrics`,
      })),
      redisUrl,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      sandbox: sandboxUrl,
      tokens: credentials.tokens,
      boardUsers: credentials.boardUsers,
    }),
    workerPids: () => [...workers].map(({ pid }) => pid),
    async replaceWorker(pid) {
      const worker = [...workers].find((candidate) => candidate.pid === pid);
      if (worker === undefined) throw new Error(`no worker has process id ${pid}`);
      running.remove('worker', worker);
      workers.delete(worker);
      await worker.kill();
      await startWorker();
    },
    processes: () => running.list().map(({ name, pid }) => ({ name, pid })),
    stop: () => running.stop(),
    release: () => running.release(),
  };
}

function portOf(port: number | undefined): { port?: number } {
  return port === undefined ? {} : { port };
}

function sandboxService({ sandboxSeed: seed, sandboxAccounts: accounts }: DeploymentOptions) {
  return {
    name: 'sandbox',
    main: SANDBOX,
    args: (port: number) => [`--port=${port}`, `--seed=${seed}`, `--accounts=${accounts}`],
    readyPath: '/accounts',
  };
}

async function startPrivateRedis(options: DeploymentOptions, running: RunningServices): Promise<string> {
  options.signal.throwIfAborted();
  const server = await startRedis({ dir: join(options.dir, 'redis'), appendfsync: options.appendfsync });
  await running.add('store', {
    name: 'redis',
    pid: server.pid,
    stop: () => server.stop(),
    release: () => server.release(),
  });
  return server.url;
}

async function startPrivatePostgres(options: DeploymentOptions, running: RunningServices): Promise<string> {
  options.signal.throwIfAborted();
  const { databaseDir } = options;
  const server = await startPostgres({
    durable: true,
    ...(databaseDir === undefined ? {} : { dir: databaseDir }),
  });
  await running.add('store', {
    name: 'postgres',
    pid: server.pid,
    stop: () => server.stop(),
    release: () => server.release(),
  });
  return server.url;
}

/** The ledger's own command, as an operator would run it before a release. */
async function migrateLedger(databaseUrl: string, signal: AbortSignal): Promise<void> {
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  await promisify(execFile)(process.execPath, [MIGRATE], { env, signal });
}

/** Like Promise.all, but leaves no start under way behind. */
async function allOrFirstError<T extends readonly unknown[]>(
  starts: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = await Promise.allSettled(starts);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return Promise.all(starts) as Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }>;
}
