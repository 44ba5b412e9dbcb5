import { Pool } from 'pg';
import { watchSilence } from './watch-silence.js';

/**
 * A connection is given up when it has brought nothing for so long. No statement of the ledger is at work for longer,
 * and the runner of effects asks again after as long; a clean-up of readings may be at work for longer than one answer.
 */
export const SILENCE_MS = 5_000;

export interface PoolSettings {
  readonly databaseUrl: string;
  readonly maxConnections: number;
  /** Longest wait for a connection. */
  readonly connectMs: number;
  /** Told of broken connections, which are survived. */
  readonly onError: (error: unknown) => void;
}

/** Connections that end neither the process nor, when they fall silent, the calls behind them. */
export function openPool({ databaseUrl, maxConnections, connectMs, onError }: PoolSettings): Pool {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
  });
  // The pool listens to idle clients only, and an error that nobody listens to ends the process. Listening to each
  // client hears of all of them, so what the pool passes on is known already.
  pool.on('connect', (client) => client.on('error', onError));
  pool.on('error', () => undefined);
  watchSilence(pool, SILENCE_MS);
  return pool;
}
