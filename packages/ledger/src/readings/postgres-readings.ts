import { createHash } from 'node:crypto';
import { Kysely, PostgresDialect, sql } from 'kysely';

import { within } from '@fairlane/sdk/internal';
import { openPool } from '../postgres/open-pool.js';
import { boundedLimit, inUtc, type Reading, type Readings } from './readings.js';

export interface PostgresReadingsOptions {
  readonly databaseUrl: string;
  /** Told of broken connections and of a clean-up that failed, which are survived. */
  readonly onError?: (error: unknown) => void;
  /** Readings that came longer ago are removed. Default 90 days. */
  readonly retentionMs?: number;
  /** A clean-up follows every so many readings of this process. Default 1,000. */
  readonly cleanEvery?: number;
}

/** Kept by `migrateLedger`; `at` is when it was measured, `stored_at` when it came. */
interface ReadingTable {
  id: string;
  account_id: string;
  host: string;
  mount: string;
  percent: number;
  at: Date;
  stored_at: Date;
}

/** Rows that one clean-up removes at most: more than come between two of them. */
const CLEAN_ROWS = 5_000;
const DAY_MS = 86_400_000;
/** A call that is not answered by then fails: the API promises an answer within two seconds. */
const ANSWER_MS = 1_500;

/** Readings in Postgres, in a table beside those of the ledger. */
export function createPostgresReadings(options: PostgresReadingsOptions): Readings {
  const { databaseUrl, onError = () => undefined } = options;
  const { retentionMs = 90 * DAY_MS, cleanEvery = 1_000 } = options;
  const pool = openPool({ databaseUrl, maxConnections: 4, connectMs: ANSWER_MS, onError });
  const db = new Kysely<{ fairlane_reading: ReadingTable }>({ dialect: new PostgresDialect({ pool }) });
  let added = 0;
  let cleaning: Promise<void> | undefined;

  async function clean(): Promise<void> {
    const before = sql<Date>`now() - ${retentionMs} * interval '1 millisecond'`;
    const old = db
      .selectFrom('fairlane_reading')
      .select('id')
      .where('stored_at', '<', before)
      .limit(CLEAN_ROWS);
    await db.deleteFrom('fairlane_reading').where('id', 'in', old).execute();
  }

  return {
    async add(reading) {
      const { accountId, host, mount, percent, at } = inUtc(reading);
      const insert = db
        .insertInto('fairlane_reading')
        .values({
          id: idOf([accountId, host, mount, percent, at]),
          account_id: accountId,
          host,
          mount,
          percent,
          at: new Date(at),
          stored_at: sql<Date>`now()`,
        })
        .onConflict((conflict) => conflict.doNothing());
      await within(insert.execute(), ANSWER_MS, noAnswer);
      added += 1;
      if (added % cleanEvery === 0 && cleaning === undefined) {
        cleaning = clean()
          .catch(onError)
          .finally(() => (cleaning = undefined));
      }
    },

    async latest(accountId, limit) {
      const select = db
        .selectFrom('fairlane_reading')
        .select(['host', 'mount', 'percent', 'at'])
        .where('account_id', '=', accountId)
        .orderBy('at', 'desc')
        .limit(boundedLimit(limit));
      const rows = await within(select.execute(), ANSWER_MS, noAnswer);
      return rows.map(({ at, ...rest }): Reading => ({ accountId, ...rest, at: at.toISOString() }));
    },

    async close() {
      await cleaning;
      await db.destroy();
    },
  };
}

function noAnswer(): Error {
  return new DOMException(`Postgres did not answer within ${ANSWER_MS} ms`, 'TimeoutError');
}

/** Of fixed length, since an index row of the texts themselves could be too long. */
function idOf(parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
