import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { write, type ApiError } from '../../api/client.js';
import { isOperator } from '../../api/session.js';
import type { DeadLetter, Page } from '../../api/types.js';
import { apiPath, type Query } from '../../frame/paths.js';
import { paced, useApi } from '../../live/use-api.js';
import { bulkBody, type Matched } from './bulk-body.js';

export interface CodeCounts {
  counts: Record<string, number>;
  /** Only the newest were counted. */
  isAtLeast: boolean;
}

/** Counting all is a walk through all: not with every event. */
const COUNT_EVERY_MS = 60_000;
const NEWEST = 500;
const NEWEST_EVERY_MS = 15_000;

/**
 * How many of the dead letters that match died of what. An operator's replay counts all of them in a dry run; who may
 * not replay sees those of the newest.
 */
export function useCodeCounts(filter: Query): CodeCounts | undefined {
  const body = { ...bulkBody(filter), dryRun: true };
  const all = useQuery<Matched, ApiError>({
    queryKey: ['dry run', body],
    queryFn: () => write<Matched>('POST', apiPath(['dead-letters', 'replay']), { body }),
    enabled: isOperator,
    refetchInterval: COUNT_EVERY_MS,
    placeholderData: keepPreviousData,
    meta: paced,
  });
  const newest = useApi<Page<DeadLetter>>(apiPath(['dead-letters'], { ...filter, limit: String(NEWEST) }), {
    everyMs: NEWEST_EVERY_MS,
    keepWhileChanging: true,
    enabled: !isOperator,
  });
  if (all.data !== undefined) return { counts: countsOf(all.data), isAtLeast: false };
  if (newest.data === undefined) return undefined;
  const counts: Record<string, number> = {};
  for (const { code } of newest.data.items) counts[code] = (counts[code] ?? 0) + 1;
  return { counts, isAtLeast: newest.data.cursor !== null };
}

/** A replay leaves out what waits for a person's word, which is what makes an outcome unknown. */
function countsOf({ byCode, unresolved }: Matched): Record<string, number> {
  if (unresolved === 0) return byCode;
  return { ...byCode, unknown_outcome: (byCode['unknown_outcome'] ?? 0) + unresolved };
}
