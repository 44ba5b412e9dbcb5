import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Redis } from 'ioredis';

import { freePort } from './free-port.js';
import { startGuardedProcess } from './guarded-process.js';
import { READY_TIMEOUT_MS } from './ready-timeout.js';

export interface SentinelOptions {
  readonly masterPort: number;
  /** The name that clients ask for. Default `mymaster`. */
  readonly name?: string;
  /** How many replicas it waits for before it counts as ready. */
  readonly replicas: number;
}

export interface Sentinel {
  readonly port: number;
  /** Where it says that the master is. */
  masterPort(): Promise<number>;
  stop(): Promise<void>;
}

/** One Sentinel that decides alone, and within a second or two. Ready when it knows the master's replicas. */
export async function startSentinel({
  masterPort,
  name = 'mymaster',
  replicas,
}: SentinelOptions): Promise<Sentinel> {
  const dir = await mkdtemp(join(tmpdir(), 'fairlane-sentinel-'));
  const port = await freePort();
  // It rewrites this file with what it learns.
  const config = join(dir, 'sentinel.conf');
  await writeFile(
    config,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${dir}`,
      `sentinel monitor ${name} 127.0.0.1 ${masterPort} 1`,
      `sentinel down-after-milliseconds ${name} 1000`,
      `sentinel failover-timeout ${name} 5000`,
      '',
    ].join('\n'),
  );
  const log = await open(join(dir, 'sentinel.log'), 'a');
  const command = process.env['FAIRLANE_REDIS_SERVER'] ?? 'redis-server';
  const child = await startGuardedProcess({ command, args: [config, '--sentinel'], logFd: log.fd });
  await log.close();
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const stop = async (): Promise<void> => {
    client.disconnect();
    await child.stop();
    await rm(dir, { recursive: true, force: true });
  };
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const known = (await client.call('SENTINEL', 'replicas', name)) as unknown[];
    if (known.length >= replicas) break;
    if (child.exited || Date.now() > deadline) {
      await stop();
      throw new Error(`the Sentinel saw ${known.length} of ${replicas} replicas in time`);
    }
    await delay(100);
  }
  return {
    port,
    async masterPort() {
      const [, at] = (await client.call('SENTINEL', 'get-master-addr-by-name', name)) as string[];
      return Number(at);
    },
    stop,
  };
}
