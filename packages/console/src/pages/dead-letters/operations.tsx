import { isOperator } from '../../api/session.js';
import type { Operation, Page } from '../../api/types.js';
import { apiPath } from '../../frame/paths.js';
import { useApi } from '../../live/use-api.js';
import { OperationProgress } from './operation-progress.js';

interface OperationsProps {
  /** Id of the one in the address: of whoever started it, and whom they sent the link. It stays when it has ended. */
  own: string | undefined;
  dismiss: () => void;
}

/** What is under way, whoever has started it. */
export function Operations({ own, dismiss }: OperationsProps) {
  const { data } = useApi<Page<Operation>>(apiPath(['operations']), { enabled: isOperator });
  const others = (data?.items ?? []).filter(({ id }) => id !== own);
  return (
    <>
      {own !== undefined && <OperationProgress id={own} dismiss={dismiss} />}
      {others.map(({ id }) => (
        <OperationProgress key={id} id={id} />
      ))}
    </>
  );
}
