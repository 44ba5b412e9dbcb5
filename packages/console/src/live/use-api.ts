import { keepPreviousData, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { read, type ApiError } from '../api/client.js';
import { connection } from './connection.js';
import { events } from './events.js';

export interface ApiOptions {
  enabled?: boolean;
  /** Shows the answer to the last path until the new one is there: for filters, never for another thing. */
  keepWhileChanging?: boolean;
  /** Where the default is too much for what is read: no event makes it sooner. */
  everyMs?: number;
}

/** Marks what events leave alone, since it costs more than a page of rows. */
export const paced = { isPaced: true };

/** With a stream of events this only catches what no event tells, such as ages and rates. */
const WITH_EVENTS_MS = 5_000;
const WITHOUT_EVENTS_MS = 2_000;

/** One reading of the API that stays up to date; its path, such as `v1/queues`, is its identity. */
export function useApi<T>(path: string, options: ApiOptions = {}): UseQueryResult<T, ApiError> {
  const { enabled = true, keepWhileChanging = false, everyMs } = options;
  const client = useQueryClient();
  return useQuery<T, ApiError>({
    queryKey: [path],
    queryFn: ({ signal }) => read<T>(path, { signal, isRefresh: client.getQueryData([path]) !== undefined }),
    enabled,
    refetchInterval: () => {
      if (connection.view().state === 'stale') return WITHOUT_EVENTS_MS;
      return everyMs ?? (events.isOpen() ? WITH_EVENTS_MS : WITHOUT_EVENTS_MS);
    },
    ...(everyMs === undefined ? {} : { meta: paced }),
    ...(keepWhileChanging ? { placeholderData: keepPreviousData } : {}),
  });
}

/** After an action: everything on the screen may have changed. */
export function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries();
}
