import type {
  BulkCancel,
  BulkFilter,
  BulkOperation,
  CancelFilter,
  LeasedOperation,
  NewOperation,
} from './bulk-operation.js';

type Fields = Readonly<Record<string, string | number>>;

/** A new operation as the fields of its hash; scripts add its state and counts. */
export function toFields({ kind, filter, perSecond, match, by }: NewOperation, nowMs: number): Fields {
  const found =
    'byCode' in match
      ? { byCode: JSON.stringify(match.byCode), unresolved: match.unresolved }
      : { byState: JSON.stringify(match.byState) };
  return {
    kind,
    matched: match.matched,
    ...found,
    until: match.until,
    // What was asked for reaches up to the moment that was counted.
    filter: JSON.stringify({ ...filter, until: match.until }),
    perSecond,
    by,
    createdAt: new Date(nowMs).toISOString(),
  };
}

export function toOperation(id: string, fields: Fields): BulkOperation {
  const number = (name: string) => Number(fields[name] ?? 0);
  const known = {
    id,
    state: fields['state'] as BulkOperation['state'],
    matched: number('matched'),
    until: number('until'),
    done: number('done'),
    failed: number('failed'),
    by: String(fields['by']),
    createdAt: String(fields['createdAt']),
  };
  if (fields['kind'] === 'cancel') {
    const { state, matched, done, failed } = known;
    // What ended unseen, between two pages, left no trace but this difference.
    const skipped = state === 'done' ? { skipped: Math.max(0, matched - done - failed) } : {};
    const byState = JSON.parse(String(fields['byState'])) as BulkCancel['byState'];
    return { ...known, kind: 'cancel', byState, ...skipped };
  }
  const byCode = JSON.parse(String(fields['byCode'])) as Record<string, number>;
  const [unresolved, perSecond] = [number('unresolved'), number('perSecond')];
  return { ...known, kind: 'replay', byCode, unresolved, perSecond };
}

export function toLeased(
  id: string,
  { kind, fence, perSecond, cursor, filter = '{}' }: Readonly<Record<string, string>>,
): LeasedOperation {
  const leased = { id, fence: Number(fence), perSecond: Number(perSecond), cursor };
  return kind === 'cancel'
    ? { ...leased, kind, filter: JSON.parse(filter) as CancelFilter }
    : { ...leased, kind: 'replay', filter: JSON.parse(filter) as BulkFilter };
}
