import type { Lanes, ListedJob, ListedState } from '@fairlane/lanes';
import type { CancelFilter } from './bulk-operation.js';

/** States of a job that has not ended. */
export const OPEN_STATES = ['scheduled', 'ready', 'held', 'active', 'retrying'] as const;
export type OpenState = (typeof OPEN_STATES)[number];

export interface CancellablePage {
  readonly jobs: readonly ListedJob[];
  /** Null at the end. */
  readonly cursor: string | null;
}

/** Where a walk through the jobs of a filter is. */
interface Place {
  /** Of the accounts that the filter names. */
  readonly account: number;
  readonly queue: number;
  readonly cursor?: string;
}

/** The states of which a filter would have jobs cancelled; none for a state that is an end. */
export function cancellableStates({ state }: CancelFilter): readonly OpenState[] {
  return OPEN_STATES.filter((open) => state === undefined || state === open);
}

/**
 * A page of the jobs of a filter that have not ended, queue by queue. One that changes its state meanwhile may be met
 * twice or not at all: whoever needs each of them walks again until there is none.
 */
export async function cancellablePage(
  lanes: Pick<Lanes, 'jobs'>,
  queues: readonly string[],
  filter: CancelFilter,
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
): Promise<CancellablePage> {
  const { accounts, state: _state, ...named } = filter;
  const scopes = accounts ?? [filter.account];
  const states: readonly ListedState[] = cancellableStates(filter);
  const looked = filter.queue === undefined ? queues : queues.filter((queue) => queue === filter.queue);
  const { account, queue, cursor: from } = readPlace(cursor);
  const [scope, name] = [scopes[account], looked[queue]];
  if (states.length === 0 || account >= scopes.length || name === undefined)
    return { jobs: [], cursor: null };
  const page = await lanes.jobs({
    ...named,
    queue: name,
    states,
    limit,
    ...(scope === undefined ? {} : { account: scope }),
    ...(from === undefined ? {} : { cursor: from }),
  });
  return {
    jobs: page.items,
    cursor: placeAfter({ account, queue }, page.cursor, looked.length, scopes.length),
  };
}

function placeAfter(
  { account, queue }: Place,
  cursor: string | null,
  queueCount: number,
  accountCount: number,
): string | null {
  if (cursor !== null) return JSON.stringify({ account, queue, cursor });
  if (queue + 1 < queueCount) return JSON.stringify({ account, queue: queue + 1 });
  return account + 1 < accountCount ? JSON.stringify({ account: account + 1, queue: 0 }) : null;
}

function readPlace(cursor: string | undefined): Place {
  return cursor === undefined ? { account: 0, queue: 0 } : (JSON.parse(cursor) as Place);
}
