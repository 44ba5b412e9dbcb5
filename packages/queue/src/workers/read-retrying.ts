import { ownKeyOfBase } from '@fairlane/lanes';
import type { Redis } from 'ioredis';
import { readErrorRecords } from '../jobs/error-record.js';

/** Of the jobs that wait for another attempt, those that were looked at. */
export interface Retrying {
  /** Their last attempt failed. */
  readonly failed: number;
  /** They were put off without an attempt: nothing has failed, an effect could not be begun or told of. */
  readonly putOff: number;
  /** Why one of these was put off, a sentence; null where none was. */
  readonly reason: string | null;
}

export const NONE_RETRYING: Retrying = { failed: 0, putOff: 0, reason: null };

/** Most jobs looked at of one account. */
const MOST_RETRYING = 100;

/** The index of started jobs marks those that are to be retried with a 0; the hash tells whether an attempt was spent. */
export async function readRetrying(
  client: Redis,
  prefix: string,
  queues: readonly string[],
  account: string,
): Promise<Retrying> {
  const keys = await readKeys(client, prefix, queues, account);
  const since = await Promise.all(keys.map(async (key) => client.hget(key, 'flDeferredSince')));
  const putOff = keys.filter((_key, at) => since[at]);
  const [first] = putOff;
  const failures = first === undefined ? [] : readErrorRecords(await client.hget(first, 'flErrors'));
  return {
    failed: keys.length - putOff.length,
    putOff: putOff.length,
    reason: failures.at(-1)?.message ?? null,
  };
}

/** Of the hashes of the jobs, over all queues. */
async function readKeys(
  client: Redis,
  prefix: string,
  queues: readonly string[],
  account: string,
): Promise<string[]> {
  const each = await Promise.all(
    queues.map(async (queue) => {
      const base = `${prefix}:${queue}:`;
      const index = `${ownKeyOfBase(base)}:x:r:${account}`;
      const ids = await client.zrangebyscore(index, 0, 0, 'LIMIT', 0, MOST_RETRYING);
      return ids.map((id) => base + id);
    }),
  );
  return each.flat().slice(0, MOST_RETRYING);
}
