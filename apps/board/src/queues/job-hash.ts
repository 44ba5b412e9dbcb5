import type { connectRedis } from '@fairlane/runtime';

export type Redis = ReturnType<typeof connectRedis>;

/** One field of a job as stored: its text, or only its size where that is above the bound. */
export interface StoredText {
  bytes: number;
  text: string | undefined;
}

export interface JobHash {
  id: string;
  /** Short fields, by BullMQ's names. */
  fields: Partial<Record<ShortField, string>>;
  texts: Partial<Record<LongField, StoredText>>;
}

const shortFields = [
  'name',
  'timestamp',
  'delay',
  'priority',
  'processedOn',
  'finishedOn',
  'atm', // attempts made
  'ats', // attempts started
  'stc', // times stalled
  'pb', // processed by
] as const;
type ShortField = (typeof shortFields)[number];

/** Fields without a bound of their own. */
const longFields = ['data', 'opts', 'returnvalue', 'failedReason', 'stacktrace', 'progress'] as const;
type LongField = (typeof longFields)[number];

/**
 * Reads jobs without ever moving a value above `maxBytes` out of Redis. BullMQ's own getters read whole
 * hashes: a page of a hundred jobs of 3 MB would move 300 MB, and one job whose data is not JSON would
 * fail the page. Two round trips whatever the number of jobs. Ids without a job are left out.
 */
export async function readJobHashes(
  redis: Redis,
  jobs: readonly { id: string; key: string }[],
  maxBytes: number,
): Promise<JobHash[]> {
  if (jobs.length === 0) return [];
  const sizes = redis.pipeline();
  for (const { key } of jobs) {
    sizes.hmget(key, ...shortFields);
    for (const field of longFields) sizes.hstrlen(key, field);
  }
  const sized = await replies(sizes.exec());
  const stride = 1 + longFields.length;

  const read: { hash: JobHash; key: string; fields: LongField[] }[] = [];
  for (const [index, { id, key }] of jobs.entries()) {
    const values = sized[index * stride] as (string | null)[];
    const lengths = sized.slice(index * stride + 1, (index + 1) * stride) as number[];
    const hash = toHash(id, values, lengths);
    if (hash.fields.name === undefined && hash.fields.timestamp === undefined) continue;
    const fields = longFields.filter((field) => (hash.texts[field]?.bytes ?? Infinity) <= maxBytes);
    read.push({ hash, key, fields });
  }

  const texts = redis.pipeline();
  for (const { key, fields } of read) if (fields.length > 0) texts.hmget(key, ...fields);
  const contents = read.some(({ fields }) => fields.length > 0) ? await replies(texts.exec()) : [];
  for (const { hash, fields } of read) {
    if (fields.length === 0) continue;
    const values = contents.shift() as (string | null)[];
    for (const [index, field] of fields.entries()) {
      const stored = hash.texts[field];
      if (stored) stored.text = values[index] ?? undefined;
    }
  }
  return read.map(({ hash }) => hash);
}

function toHash(id: string, values: (string | null)[], lengths: number[]): JobHash {
  const fields: JobHash['fields'] = {};
  for (const [index, field] of shortFields.entries()) {
    const value = values[index];
    if (value !== null && value !== undefined) fields[field] = value;
  }
  const texts: JobHash['texts'] = {};
  for (const [index, field] of longFields.entries()) {
    const bytes = lengths[index] ?? 0;
    if (bytes > 0) texts[field] = { bytes, text: undefined };
  }
  return { id, fields, texts };
}

async function replies(executed: Promise<[Error | null, unknown][] | null>): Promise<unknown[]> {
  return ((await executed) ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}
