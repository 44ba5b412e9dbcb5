import { join } from 'node:path';

import { startDeployment, type Deployment } from '../deployment/deployment.js';
import { startFaultProxy, type FaultProxy } from '../proxy/index.js';
import { startSandbox, type Sandbox } from '../sandbox/index.js';
import { startPostgres, type PostgresServer } from '../servers/postgres.js';
import { startRedis, type RedisServer } from '../servers/redis.js';
import type { CrashOptions } from './options.js';

/** Everything that a crash run needs, with wires that can be cut. */
export interface Stage {
  readonly redis: RedisServer;
  /** Where the ledger is there. */
  readonly postgres: PostgresServer | undefined;
  readonly sandbox: Sandbox;
  readonly deployment: Deployment;
  readonly wires: readonly FaultProxy[];
  stop(): Promise<void>;
}

/** The shortest there is: a lost worker's jobs come back soon. */
export const LEASE_MS = 5_000;
/** Between applying a message and answering, and on the way to Redis: what a crash can fall into. */
const PLATFORM_LATENCY_MS = 150;
const WIRE_DELAY_MS = 2;
/** What is admitted just before a store goes away waits for its ledger up to three seconds, and is sent then. */
const SLACK_MS = 5_000;

export async function startStage(
  options: CrashOptions & {
    readonly dir: string;
    readonly prefix: string;
    readonly signal: AbortSignal;
    /** A process ended that nobody had struck. */
    readonly onCasualty: (reason: Error) => void;
  },
): Promise<Stage> {
  const { dir, prefix, seed, workers, appendfsync, ledger, signal, onCasualty } = options;
  const started: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of started.splice(0).toReversed()) await close();
  };
  const wires: FaultProxy[] = [];
  const wireTo = async (port: number) => {
    const wire = await startFaultProxy({ target: { port } });
    started.push(async () => wire.close());
    wire.delay(WIRE_DELAY_MS);
    wires.push(wire);
    return wire.port;
  };
  try {
    const redis = await startRedis({ dir: join(dir, 'redis'), appendfsync });
    started.push(async () => redis.stop());
    const redisPort = await wireTo(redis.port);
    const postgres = ledger === 'postgres' ? await startPostgres({ durable: true }) : undefined;
    if (postgres !== undefined) started.push(async () => postgres.stop());
    const databaseUrl = postgres && throughPort(postgres.url, await wireTo(postgres.port));
    const sandbox = await startSandbox({ seed, latencyMs: PLATFORM_LATENCY_MS, slackMs: SLACK_MS });
    started.push(async () => sandbox.stop());
    const deployment = await startDeployment({
      dir,
      workers,
      redisUrl: `redis://127.0.0.1:${redisPort}`,
      appendfsync,
      ledger,
      databaseUrl,
      prefix,
      sandboxUrl: sandbox.url,
      sandboxSeed: seed,
      sandboxAccounts: 0,
      env: { WORKER_LEASE_MS: String(LEASE_MS), LOG_LEVEL: 'warn' },
      onCasualty: ({ name, logFile }) => onCasualty(new Error(`${name} ended unexpectedly, see ${logFile}`)),
      signal,
    });
    started.push(async () => deployment.stop());
    return { redis, postgres, sandbox, deployment, wires, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function throughPort(url: string, port: number): string {
  const through = new URL(url);
  through.port = String(port);
  return through.href;
}
