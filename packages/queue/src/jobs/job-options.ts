import type { JobContract, JobIdentity } from '@fairlane/sdk';

/** Where a job queues: read by the lanes, and kept with a dead letter whose data can no longer be read. */
export interface LaneOption {
  readonly account: string;
  readonly group: string;
  readonly cost?: number;
  readonly tag?: string;
}

/** The job options of BullMQ that are stored with every job of ours. */
export interface StoredOptions {
  readonly attempts: number;
  readonly delay?: number;
  readonly priority?: number;
  readonly lane: LaneOption;
  /** The business key in base64url, a third shorter than in hex. */
  readonly key: string;
}

export function storedOptions(
  contract: JobContract,
  identity: JobIdentity,
  { delayMs, priority }: { readonly delayMs: number; readonly priority: number },
): StoredOptions {
  const { account, limitGroup, tag, key } = identity;
  return {
    attempts: contract.retry.attempts,
    ...(delayMs > 0 ? { delay: delayMs } : {}),
    ...(priority > 0 ? { priority } : {}),
    lane: {
      account,
      group: limitGroup,
      ...(contract.cost === 1 ? {} : { cost: contract.cost }),
      ...(tag === undefined ? {} : { tag }),
    },
    key: Buffer.from(key, 'hex').toString('base64url'),
  };
}

/** Stored options of a job that others may have written: every part may be missing. */
export function readOptions(options: unknown): { lane: Partial<LaneOption>; key: string; attempts: number } {
  const { lane, key, attempts } = (options ?? {}) as Partial<StoredOptions>;
  return {
    lane: typeof lane === 'object' && lane !== null ? lane : {},
    key: typeof key === 'string' ? Buffer.from(key, 'base64url').toString('hex') : '',
    attempts: typeof attempts === 'number' ? attempts : 0,
  };
}
