import { ReplyError } from 'ioredis';
import { Unpackr } from 'msgpackr';

const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

/** The replies that a script has packed into one, each as Redis would have given it: errors are values too. */
export function unpackReplies(packed: Buffer): unknown[] {
  return (unpackr.unpack(packed) as unknown[]).map(asRedisReplies);
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
