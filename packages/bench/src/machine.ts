import { createRequire } from 'node:module';
import { availableParallelism, cpus, totalmem } from 'node:os';

import { inRun } from './measure/run.js';

export interface Machine {
  readonly node: string;
  readonly redis: string;
  readonly bullmq: string;
  /** Processors this process may use, which a container can make fewer than the machine has. */
  readonly cpus: number;
}

export async function describeMachine(): Promise<Machine> {
  const { version } = createRequire(import.meta.url)('bullmq/package.json') as { version: string };
  return {
    node: process.versions.node,
    redis: await redisVersion(),
    bullmq: version,
    cpus: availableParallelism(),
  };
}

/** For the progress output: a figure means little without the hardware it was measured on. */
export function hardware(): string {
  const model = cpus()[0]?.model ?? 'unknown processor';
  return `${model}, ${(totalmem() / 2 ** 30).toFixed(1)} GiB`;
}

async function redisVersion(): Promise<string> {
  return inRun({ appendonly: false }, async ({ redis }) => {
    return /^redis_version:(\S+)/m.exec(await redis.info('server'))?.[1] ?? 'unknown';
  });
}
