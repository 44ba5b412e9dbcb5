import type { Redis } from 'ioredis';

const FIELDS = ['n', 'e', 'v', 'a', 'w'] as const;
const DOUBLE_BYTES = 8;
/** In front of the doubles. */
const LAYOUT_BYTES = 1;

/** What a queue keeps of its lanes, by the names of `lua/includes/context.lua`. */
export type QueueState = Record<(typeof FIELDS)[number], number>;

/** Undefined for a queue that has had no job in a lane. */
export async function readQueueState(
  client: Redis,
  prefix: string,
  queue: string,
): Promise<QueueState | undefined> {
  const packed = await client.hgetBuffer(`${prefix}:${queue}:meta`, 'lane:s');
  if (packed === null) return undefined;
  return Object.fromEntries(
    FIELDS.map((name, at) => [name, packed.readDoubleLE(LAYOUT_BYTES + at * DOUBLE_BYTES)]),
  ) as QueueState;
}

/** Writes some of it over what is there. */
export async function changeQueueState(
  client: Redis,
  prefix: string,
  queue: string,
  changes: Partial<QueueState>,
): Promise<void> {
  const packed = (await client.hgetBuffer(`${prefix}:${queue}:meta`, 'lane:s'))!;
  for (const [at, name] of FIELDS.entries()) {
    const value = changes[name];
    if (value !== undefined) packed.writeDoubleLE(value, LAYOUT_BYTES + at * DOUBLE_BYTES);
  }
  await client.hset(`${prefix}:${queue}:meta`, 'lane:s', packed);
}
