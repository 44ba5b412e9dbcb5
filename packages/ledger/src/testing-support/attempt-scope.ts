import { randomUUID } from 'node:crypto';

import type { JobInfo } from '@fairlane/sdk';
import type { EffectScope } from '@fairlane/sdk/internal';

export function newJob(): JobInfo {
  return {
    id: randomUUID(),
    key: randomUUID(),
    name: 'invoice.send',
    version: 1,
    queue: 'outreach',
    account: 'acme',
    limitGroup: 'email',
  };
}

/** An attempt that holds its job. */
export function scopeOf(job: JobInfo, patch: Partial<EffectScope> = {}): EffectScope {
  return {
    job,
    attempt: 1,
    signal: new AbortController().signal,
    isCurrent: () => true,
    timeoutMs: 30_000,
    inputHash: 'in-1',
    logger: { warn: () => undefined },
    ...patch,
  };
}
