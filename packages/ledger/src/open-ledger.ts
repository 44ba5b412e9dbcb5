import type { RedisOptions } from 'ioredis';
import type { EffectLedger } from './ledger.js';
import { createPostgresLedger } from './postgres/postgres-ledger.js';
import { createRedisLedger } from './redis/redis-ledger.js';

/** Where effects are recorded. */
export type LedgerChoice =
  | { readonly kind: 'redis'; readonly redis: string | RedisOptions; readonly prefix: string }
  | { readonly kind: 'postgres'; readonly databaseUrl: string };

/** The chosen ledger. @param onError told of connection errors, which are survived. */
export function openLedger(choice: LedgerChoice, onError: (error: unknown) => void): EffectLedger {
  if (choice.kind === 'redis') {
    return createRedisLedger({ redis: choice.redis, prefix: choice.prefix, onError });
  }
  return createPostgresLedger({ databaseUrl: choice.databaseUrl, onError });
}
