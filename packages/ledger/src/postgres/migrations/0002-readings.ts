import type { Kysely, Migration } from 'kysely';

/** Readings of disks; they have nothing to do with effects but live in the same database. */
export const readings: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('fairlane_reading')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('mount', 'text', (column) => column.notNull())
      .addColumn('percent', 'double precision', (column) => column.notNull())
      .addColumn('at', 'timestamptz', (column) => column.notNull())
      .addColumn('stored_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('fairlane_reading_account_at')
      .on('fairlane_reading')
      .columns(['account_id', 'at'])
      .execute();
    await db.schema
      .createIndex('fairlane_reading_stored_at')
      .on('fairlane_reading')
      .column('stored_at')
      .execute();
  },

  async down(db: Kysely<unknown>) {
    await db.schema.dropTable('fairlane_reading').execute();
  },
};
