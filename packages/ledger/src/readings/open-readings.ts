import type { LedgerChoice } from '../open-ledger.js';
import { createPostgresReadings } from './postgres-readings.js';
import type { Readings } from './readings.js';
import { createRedisReadings } from './redis-readings.js';

/** Readings where the ledger is. @param onError told of connection errors, which are survived. */
export function openReadings(choice: LedgerChoice, onError: (error: unknown) => void): Readings {
  if (choice.kind === 'postgres') return createPostgresReadings({ databaseUrl: choice.databaseUrl, onError });
  return createRedisReadings({ redis: choice.redis, prefix: choice.prefix, onError });
}
