import { sql, type Kysely, type Migration } from 'kysely';

/** A row a job and a row an effect. The job's row is locked first by every statement, so none can deadlock. */
export const effects: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('fairlane_ledger_job')
      .addColumn('job_id', 'text', (column) => column.primaryKey())
      .addColumn('fence', 'bigint', (column) => column.notNull())
      .addColumn('holder', 'text')
      .addColumn('touched_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('fairlane_ledger_job_touched_at')
      .on('fairlane_ledger_job')
      .column('touched_at')
      .execute();
    await db.schema
      .createTable('fairlane_ledger_effect')
      .addColumn('job_id', 'text', (column) =>
        column.notNull().references('fairlane_ledger_job.job_id').onDelete('cascade'),
      )
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) =>
        column.notNull().check(sql`state in ('started', 'done', 'not_applied', 'unknown')`),
      )
      .addColumn('fence', 'bigint', (column) => column.notNull())
      .addColumn('first_started_at', 'timestamptz', (column) => column.notNull())
      .addColumn('started_at', 'timestamptz', (column) => column.notNull())
      .addColumn('timeout_ms', 'bigint', (column) => column.notNull())
      .addColumn('input_hash', 'text', (column) => column.notNull())
      .addColumn('kept', 'text', (column) =>
        column.check(sql`kept in ('json', 'nothing', 'too_large', 'unserialisable')`),
      )
      .addColumn('result', 'text')
      .addColumn('external_id', 'text')
      .addColumn('changed_at', 'timestamptz', (column) => column.notNull())
      .addPrimaryKeyConstraint('fairlane_ledger_effect_pkey', ['job_id', 'name'])
      .execute();
  },

  async down(db: Kysely<unknown>) {
    await db.schema.dropTable('fairlane_ledger_effect').execute();
    await db.schema.dropTable('fairlane_ledger_job').execute();
  },
};
