import { startRedis, type RedisServerOptions } from '@fairlane/testkit';
import { Redis } from 'ioredis';

import type { BenchQueue } from '../adapters/adapter.js';
import { adapterByName, type AdapterName } from '../adapters/by-name.js';
import { startChild, type Child, type Programs } from './child.js';

/** One run: a Redis of its own and what was opened on it, all of it closed when the run ends or fails. */
export interface Run {
  readonly port: number;
  /** For questions to the server; not part of what is measured. */
  readonly redis: Redis;
  openQueue(adapter: AdapterName, queue: string): Promise<BenchQueue>;
  /** Resolves when the process is warm and waits for `go`. */
  start<Name extends keyof Programs>(
    program: Name,
    spec: Programs[Name]['spec'],
  ): Promise<Child<Programs[Name]['result']>>;
}

/**
 * Redis is set as the product ships it, append-only file included, except that the file is never rewritten:
 * a rewrite forks, and would fall into some runs and not into others.
 */
export async function inRun<T>(options: RedisServerOptions, use: (run: Run) => Promise<T>): Promise<T> {
  const server = await startRedis({ config: { 'auto-aof-rewrite-percentage': '0' }, ...options });
  const redis = new Redis({ host: '127.0.0.1', port: server.port });
  const queues: BenchQueue[] = [];
  const children: Child<unknown>[] = [];
  try {
    return await use({
      port: server.port,
      redis,
      async openQueue(adapter, name) {
        const queue = await adapterByName(adapter).openQueue({ port: server.port, queue: name });
        queues.push(queue);
        return queue;
      },
      async start(program, spec) {
        const child = await startChild(program, server.port, spec);
        children.push(child);
        return child;
      },
    });
  } finally {
    // In this order, since whatever outlives the server fills the output with refused connections.
    await Promise.all(children.map((child) => child.end()));
    await Promise.all(queues.map((queue) => queue.close()));
    redis.disconnect();
    await server.stop();
  }
}

/** A number of `INFO`, such as `used_memory`. */
export async function serverFigure(redis: Redis, section: string, name: string): Promise<number> {
  const value = new RegExp(`^${name}:([\\d.]+)`, 'm').exec(await redis.info(section))?.[1];
  if (value === undefined) throw new Error(`expected ${name} in INFO ${section}`);
  return Number(value);
}

/** Processor time that the server has used since it started. */
export async function serverCpuMs(redis: Redis): Promise<number> {
  const user = await serverFigure(redis, 'cpu', 'used_cpu_user');
  return (user + (await serverFigure(redis, 'cpu', 'used_cpu_sys'))) * 1_000;
}
