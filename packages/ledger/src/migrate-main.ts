import { migrateLedger } from './postgres/migrate.js';

const databaseUrl = process.env['DATABASE_URL'];
if (databaseUrl === undefined || databaseUrl === '') {
  process.stderr.write('DATABASE_URL is not set: it names the Postgres database that holds the ledger\n');
  process.exit(1);
}
try {
  const ran = await migrateLedger(databaseUrl);
  process.stdout.write(ran.length === 0 ? 'the ledger is up to date\n' : `migrated: ${ran.join(', ')}\n`);
} catch (error) {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  process.stderr.write(`the tables of the ledger could not be migrated: ${cause}\n`);
  process.exit(1);
}
