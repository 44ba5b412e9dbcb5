import type { Adapter } from './adapter.js';
import { bare } from './bare.js';
import { groupmq } from './groupmq.js';
import { lanes } from './lanes.js';
import { productOnPostgres, productOnRedis, productWithoutLedger } from './product.js';
import { workaround } from './workaround.js';

const ADAPTERS = {
  bare,
  groupmq,
  lanes,
  workaround,
  product: productWithoutLedger,
  'product-redis-ledger': productOnRedis,
  'product-postgres-ledger': productOnPostgres,
} satisfies Record<string, Adapter>;

/** Adapters cross the process border by name. */
export type AdapterName = keyof typeof ADAPTERS;

export function adapterByName(name: AdapterName): Adapter {
  return ADAPTERS[name];
}
