import { findTarget, ForbiddenTargetError } from '@fairlane/jobs/webhooks';
import { Problem } from '../http/problems.js';

/** A resolver that answers no sooner is not waited for. */
const RESOLVE_MS = 2_000;

/**
 * Turns a URL down to which no webhook may go, so that its owner learns it now and not from a dead letter. It is
 * advice only: every delivery looks again, since a name can lead elsewhere by then. So a name that cannot be found
 * for now is let pass, but one that does not exist is a mistake.
 *
 * @throws Problem `forbidden_target`
 */
export async function checkTarget(url: string, allowPrivate: boolean): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, RESOLVE_MS);
  });
  try {
    await Promise.race([findTarget(url, { allowPrivate }), enough]);
  } catch (error) {
    if (error instanceof ForbiddenTargetError) {
      throw new Problem('forbidden_target', { detail: error.message, cause: error });
    }
    if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') {
      const detail = `The target has no address: there is no ${new URL(url).hostname}.`;
      throw new Problem('forbidden_target', { detail, cause: error });
    }
  } finally {
    clearTimeout(timer);
  }
}
