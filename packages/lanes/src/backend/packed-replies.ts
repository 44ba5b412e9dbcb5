import { ReplyError } from 'ioredis';
import { Unpackr } from 'msgpackr';

const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

/**
 * The replies that a script has packed into one, each as Redis would have given it: errors are values too.
 *
 * @throws where they are no list of this length.
 */
export function unpackReplies(packed: Buffer, count: number): unknown[] {
  const replies: unknown = unpackr.unpack(packed);
  if (!Array.isArray(replies) || replies.length !== count) {
    throw new TypeError(`Expected the packed replies of ${count} runs.`);
  }
  return replies.map(asRedisReplies);
}

/** Redis has neither booleans nor fractions, and of Lua's tables with names errors and statuses alone. */
function asRedisReplies(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      return Math.trunc(value);
    case 'boolean':
      return value ? 1 : null;
    case 'object':
      if (Array.isArray(value)) {
        return value.map(asRedisReplies);
      }
      return value === null ? null : ofTable(value);
    default:
      return value;
  }
}

function ofTable({ err, ok }: { err?: string; ok?: string }): unknown {
  return err === undefined ? (ok ?? []) : new ReplyError(err);
}
