import { Kysely, Migrator, PostgresDialect } from 'kysely';
import { Pool } from 'pg';

import { effects } from './migrations/0001-effects.js';

/** In order of their names; one that was released is never changed. */
const migrations = { '0001-effects': effects };

const TABLES = {
  migrationTableName: 'fairlane_ledger_migration',
  migrationLockTableName: 'fairlane_ledger_migration_lock',
};

function migratorOf<DB>(db: Kysely<DB>): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations }, ...TABLES });
}

/**
 * Brings the tables of the ledger up to date; returns the names of the migrations that it ran. Safe when several
 * processes start at once: they take turns by an advisory lock of the transaction, which a transaction-pooling
 * proxy keeps as well, and either all migrations of a run are kept or none.
 */
export async function migrateLedger(databaseUrl: string): Promise<string[]> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  // A connection that breaks while idle must not end the process; the next query tells.
  pool.on('error', () => undefined);
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const { error, results = [] } = await migratorOf(db).migrateToLatest();
    if (error !== undefined)
      throw new Error('the tables of the ledger could not be migrated', { cause: error });
    return results.map(({ migrationName }) => migrationName);
  } finally {
    await db.destroy();
  }
}

/** Names of the migrations that this version needs and the database lacks. */
export async function pendingMigrations<DB>(db: Kysely<DB>): Promise<string[]> {
  const all = await migratorOf(db).getMigrations();
  return all.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}
