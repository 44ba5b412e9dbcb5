import type { Page } from '@fairlane/lanes';
import type { FairlaneBackend } from '../backend/fairlane-backend.js';
import { toJobView, type JobView } from '../views/job-view.js';
import { readDeadRows, type DeadFilter, type DeadRow } from './dead-rows.js';

/** A job that ended without success, kept for a person. Times are ISO strings. */
export interface DeadLetter extends Pick<
  JobView,
  'id' | 'key' | 'name' | 'queue' | 'account' | 'limitGroup' | 'tag' | 'attempts' | 'createdAt'
> {
  readonly code: string;
  /** One sentence. */
  readonly reason: string;
  /** HTTP status of the outside. */
  readonly status?: number;
  readonly finishedAt: string;
}

/** All that is given must hold. */
export interface DeadLetterFilter extends DeadFilter {
  /** 1 to 500, default 50. */
  readonly limit?: number;
  /** From the previous page of the same filter. */
  readonly cursor?: string;
}

const MAX_PAGE = 500;
const DEFAULT_PAGE = 50;

const FIELDS = ['name', 'ln', 'tg', 'timestamp', 'atm', 'opts', 'flErrors'] as const;

/** A page of dead letters over all queues, the latest first. It may be shorter than asked for, even empty. */
export async function listDeadLetters(
  backends: readonly FairlaneBackend[],
  filter: DeadLetterFilter,
): Promise<Page<DeadLetter>> {
  const limit = Math.min(Math.max(Math.trunc(filter.limit ?? DEFAULT_PAGE), 1), MAX_PAGE);
  const request = { filter, limit, cursor: filter.cursor, fields: FIELDS };
  const { rows, cursor } = await readDeadRows(backends, request);
  return { items: rows.map(toDeadLetter), cursor };
}

function toDeadLetter({ queue, id, diedAtMs, code, values }: DeadRow): DeadLetter {
  const fields = new Map<string, string>(
    FIELDS.flatMap((field, at) => (values[at] ? [[field, values[at]]] : [])),
  );
  fields.set('finishedOn', String(diedAtMs));
  const rest = { heldReason: undefined, nextRunAtMs: undefined, leaseMs: -2, nowMs: 0 };
  const view = toJobView({ id, queue, state: 'dead', fields, ...rest });
  const { key, name, account, limitGroup, tag, attempts, createdAt } = view;
  const { lastError, finishedAt = createdAt } = view;
  return {
    id,
    key,
    name,
    queue,
    account,
    limitGroup,
    ...(tag === undefined ? {} : { tag }),
    code,
    // Only what others have moved to the dead jobs has no record.
    reason: lastError?.message ?? 'no error was recorded',
    ...(lastError?.status === undefined ? {} : { status: lastError.status }),
    attempts,
    createdAt,
    finishedAt,
  };
}
