import type { Redis } from 'ioredis';
import { decodeGate, decodeSettings } from './gate-record.js';

export type Keys = Record<string, unknown>;

function decoder(key: string): ((record: Buffer) => object) | undefined {
  if (key.endsWith('::settings')) {
    return decodeSettings;
  }
  return key.includes('::gates:') ? decodeGate : undefined;
}

async function read(client: Redis, key: string): Promise<unknown> {
  const decode = decoder(key);
  if (decode) {
    const records = Object.entries(await client.hgetallBuffer(key));
    return Object.fromEntries(records.map(([account, record]) => [account, decode(record)]));
  }
  switch (await client.type(key)) {
    case 'hash': {
      const hash = await client.hgetall(key);
      // Packed; the counts of jobs are read through commands.
      delete hash['lane:s'];
      return hash;
    }
    case 'list':
      return client.lrange(key, 0, -1);
    case 'set':
      return (await client.smembers(key)).toSorted();
    case 'zset':
      return client.zrange(key, '0', '-1', 'WITHSCORES');
    default:
      return client.get(key);
  }
}

/** What changes by itself: BullMQ's event streams, and fleets, which workers join when they connect. */
const ASIDE = /:events$|:w$/;

/** All keys below a prefix, without the prefix. */
export async function readKeys(client: Redis, prefix: string): Promise<Keys> {
  const keys = (await client.keys(`${prefix}:*`)).filter((key) => !ASIDE.test(key)).toSorted();
  const values = await Promise.all(keys.map(async (key) => read(client, key)));
  return Object.fromEntries(keys.map((key, at) => [key.slice(prefix.length + 1), values[at]]));
}

/** The keys that differ, with what they hold afterwards; null = gone. */
export function keyChange(before: Keys, after: Keys): Keys {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .toSorted()
      .map((name) => [name, after[name] ?? null]),
  );
}
