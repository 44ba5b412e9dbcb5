import type { Redis } from 'ioredis';

/** Deletes a lock only while it is still the one that was seen. */
const DELETE_IF_SAME = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/**
 * Ends the lease of a running job now: its worker's next renewal and its finish are refused, and the check for lost
 * workers hands it to another, as if the worker had been lost. It counts as a stall, not as an attempt.
 *
 * @param base key prefix of the job's queue
 * @returns false when it does not run
 */
export async function reclaim(client: Redis, base: string, id: string): Promise<boolean> {
  const lock = `${base}${id}:lock`;
  const holder = await client.get(lock);
  if (holder === null || (await client.lpos(`${base}active`, id)) === null) return false;
  return (await client.eval(DELETE_IF_SAME, 1, lock, holder)) === 1;
}
