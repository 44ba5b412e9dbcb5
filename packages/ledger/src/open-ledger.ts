import type { RedisOptions } from 'ioredis';
import type { EffectLedger } from './ledger.js';
import { createPostgresLedger } from './postgres/postgres-ledger.js';
import { createRedisLedger } from './redis/redis-ledger.js';

/** Where effects are recorded. */
export type LedgerChoice =
  | { readonly kind: 'redis'; readonly redis: string | RedisOptions; readonly prefix: string }
  | { readonly kind: 'postgres'; readonly databaseUrl: string };

/** What the environment of a process chooses. Postgres without a DATABASE_URL was refused when it was read. */
export function ledgerChoice(env: {
  readonly FAIRLANE_LEDGER: LedgerChoice['kind'];
  readonly DATABASE_URL?: string | undefined;
  readonly REDIS_URL: string | RedisOptions;
  readonly FAIRLANE_PREFIX: string;
}): LedgerChoice {
  const { FAIRLANE_LEDGER: kind, DATABASE_URL: databaseUrl, REDIS_URL: redis, FAIRLANE_PREFIX: prefix } = env;
  return kind === 'postgres' && databaseUrl !== undefined
    ? { kind, databaseUrl }
    : { kind: 'redis', redis, prefix };
}

/** The chosen ledger. @param onError told of connection errors, which are survived. */
export function openLedger(choice: LedgerChoice, onError: (error: unknown) => void): EffectLedger {
  if (choice.kind === 'redis') {
    return createRedisLedger({ redis: choice.redis, prefix: choice.prefix, onError });
  }
  return createPostgresLedger({ databaseUrl: choice.databaseUrl, onError });
}
