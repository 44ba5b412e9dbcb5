import { fileURLToPath } from 'node:url';
import { runSteps } from '@fairlane/testkit/steps';
import type { Redis } from 'ioredis';

export interface CrashInput {
  readonly action: 'submit' | 'remove';
  readonly redisUrl: string;
  readonly prefix: string;
  readonly holdMs: number;
  /** Of a file store. */
  readonly directory: string;
  /** Of a bucket, used instead. */
  readonly s3?: { readonly url: string; readonly bucket: string };
  /** The process is killed when so many steps are done. Left out: it is not. */
  readonly killAfter?: number;
}

/** Stands for a job in Redis: its value is the source of its payload. */
export const jobKey = ({ prefix }: Pick<CrashInput, 'prefix'>): string => `${prefix}:the-job`;
export const OWNER = 'the-job';
export const PAYLOAD = Buffer.alloc(200_000, 'payload ');

/** The question of a sweep, answered by whether the job exists. */
export function stillNeeded(redis: Redis, input: Pick<CrashInput, 'prefix'>) {
  return async (owners: readonly string[]): Promise<string[]> =>
    (await redis.exists(jobKey(input))) === 1 ? owners.filter((owner) => owner === OWNER) : [];
}

/** Runs the action in a process of its own. @returns its number of steps, or undefined when it was killed. */
export async function runAction(input: CrashInput): Promise<number | undefined> {
  return runSteps(fileURLToPath(new URL('crash-worker.ts', import.meta.url)), input);
}
