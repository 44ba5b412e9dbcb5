import type { Backends } from '../../backend/open-backends.js';
import { UnavailableError } from '../../errors.js';
import { readDeadRows, type DeadRow, type DeadRowsRequest } from '../dead-rows.js';
import { isOpen, type UnsettledReader } from '../open-effects.js';

export interface ReplayablePage {
  readonly letters: readonly DeadRow[];
  /** Left out of them, since a person must speak first. */
  readonly unresolved: number;
  /** Dead letters that were looked at. */
  readonly looked: number;
  /** Null at the end. */
  readonly cursor: string | null;
}

/** A page of dead letters without those that wait for a person's word. */
export async function replayablePage(
  { queues, backendOf }: Backends,
  effects: UnsettledReader | undefined,
  request: DeadRowsRequest,
): Promise<ReplayablePage> {
  const { rows, cursor, looked } = await readDeadRows(queues.map(backendOf), request);
  const open = await unsettled(rows, effects);
  const letters = rows.filter(({ id, code }) => !open.get(id)?.some((state) => isOpen(state, code)));
  return { letters, unresolved: rows.length - letters.length, looked, cursor };
}

async function unsettled(
  rows: readonly DeadRow[],
  effects: UnsettledReader | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (effects === undefined || rows.length === 0) return new Map();
  try {
    return await effects.unsettled(rows.map(({ id }) => id));
  } catch (cause) {
    throw new UnavailableError('the ledger of effects did not answer', { mayHaveRun: false, cause });
  }
}
