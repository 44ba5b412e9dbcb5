import { Kysely, Migrator, PostgresAdapter, PostgresDialect, sql } from 'kysely';
import { Pool } from 'pg';

import { effects } from './migrations/0001-effects.js';
import { readings } from './migrations/0002-readings.js';

/** In order of their names; one that was released is never changed. */
const migrations = { '0001-effects': effects, '0002-readings': readings };

const TABLES = {
  migrationTableName: 'fairlane_ledger_migration',
  migrationLockTableName: 'fairlane_ledger_migration_lock',
};

/** Any number, the same in all versions: who holds the advisory lock of this number migrates. */
const LOCK = 7_203_441_908;

/**
 * Kysely's own lock belongs to the session. Behind a transaction-pooling proxy the next statement may run in another
 * session: the lock would protect nothing, and stay behind. `migrateLedger` holds one of its transaction instead.
 */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

class MigrationDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new UnlockedAdapter();
  }
}

function migratorOf<DB>(db: Kysely<DB>): Migrator {
  const provider = { getMigrations: async () => migrations };
  return new Migrator({ db, provider, disableTransactions: true, ...TABLES });
}

/**
 * Brings the tables of the ledger up to date; returns the names of the migrations that it ran. Safe when several
 * processes start at once: it is one transaction under one lock, so they take turns, and either everything is kept
 * or nothing.
 */
export async function migrateLedger(databaseUrl: string): Promise<string[]> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  // A connection that breaks while idle must not end the process; the next query tells.
  pool.on('error', () => undefined);
  const db = new Kysely<unknown>({ dialect: new MigrationDialect({ pool }) });
  try {
    return await db.connection().execute(async (connection) => inTransaction(connection, migrateToLatest));
  } catch (error) {
    throw new Error('the tables of the ledger could not be migrated', { cause: error });
  } finally {
    await db.destroy();
  }
}

async function migrateToLatest(db: Kysely<unknown>): Promise<string[]> {
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(db);
  const { error, results = [] } = await migratorOf(db).migrateToLatest();
  if (error !== undefined) throw error;
  return results.map(({ migrationName }) => migrationName);
}

/** By hand, since the migrator refuses Kysely's own transactions. */
async function inTransaction<T>(
  connection: Kysely<unknown>,
  work: (db: Kysely<unknown>) => Promise<T>,
): Promise<T> {
  await sql`begin`.execute(connection);
  try {
    const result = await work(connection);
    await sql`commit`.execute(connection);
    return result;
  } catch (error) {
    // The first error says what went wrong; a connection that is lost rolls back by itself.
    await sql`rollback`.execute(connection).catch(() => undefined);
    throw error;
  }
}

/** Names of the migrations that this version needs and the database lacks. */
export async function pendingMigrations<DB>(db: Kysely<DB>): Promise<string[]> {
  const all = await migratorOf(db).getMigrations();
  return all.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}
