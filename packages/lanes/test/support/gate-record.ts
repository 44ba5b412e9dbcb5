import type { Redis } from 'ioredis';

/** The seven numbers kept of a gate; see `lua/includes/records.lua`. */
export interface GateRecord {
  n: number;
  t: number;
  b: number;
  i: number;
  d: number;
  m: number;
  u: number;
}

const FIELDS = ['n', 't', 'b', 'i', 'd', 'm', 'u'] as const;
const DOUBLE_BYTES = 8;

export function decodeGate(record: Buffer): GateRecord {
  const numbers = FIELDS.map((field, at) => [field, record.readDoubleLE(at * DOUBLE_BYTES)]);
  return Object.fromEntries(numbers) as GateRecord;
}

/** Weight, 1 where paused, and the current window; `c` -1 without windows. */
export function decodeSettings(record: Buffer): { w: number; p: number; o: number; c: number } {
  const [w, p, o, c] = [0, 1, 2, 3].map((at) => record.readDoubleLE(at * DOUBLE_BYTES));
  return { w: w!, p: p!, o: o!, c: c! };
}

function keyOf(prefix: string, group: string): string {
  return `${prefix}::gates:${group}`;
}

/** Claims in flight as the gate has counted them; 0 where nothing is recorded of it. */
export async function countedClaims(
  client: Redis,
  prefix: string,
  account: string,
  group = 'default',
): Promise<number> {
  const record = await client.hgetBuffer(keyOf(prefix, group), account);
  return record ? decodeGate(record).n : 0;
}

/** Puts another count in its place, as a drift would. */
export async function miscountClaims(
  client: Redis,
  prefix: string,
  account: string,
  count: number,
): Promise<void> {
  const record = (await client.hgetBuffer(keyOf(prefix, 'default'), account))!;
  record.writeDoubleLE(count, FIELDS.indexOf('n') * DOUBLE_BYTES);
  await client.hset(keyOf(prefix, 'default'), account, record);
}
