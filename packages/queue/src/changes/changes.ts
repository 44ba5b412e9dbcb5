/** What is not the same as before. Names only: whoever wants to know how it is now reads it. */
export interface Changes {
  /** Queues whose counts have changed. */
  readonly queues: readonly string[];
  /** Accounts whose jobs or settings have changed. */
  readonly accounts: readonly string[];
  readonly jobs: readonly ChangedJob[];
  /** Long operations that have moved on. */
  readonly operations: readonly string[];
  readonly workers: boolean;
  /** There was more than is named here. */
  readonly more: boolean;
}

export interface ChangedJob {
  readonly id: string;
  readonly queue: string;
  /** Undefined for a job of no account, and for one that is gone. */
  readonly account?: string;
}

/** Names of each kind told at once; beyond them it is only said that there is more. */
export const MAX_NAMED = 100;

export const NO_CHANGES: Changes = {
  queues: [],
  accounts: [],
  jobs: [],
  operations: [],
  workers: false,
  more: false,
};

export function isNothing({ queues, accounts, jobs, operations, workers, more }: Changes): boolean {
  return queues.length + accounts.length + jobs.length + operations.length === 0 && !workers && !more;
}

/** Both together, each thing named once, the newer last; bounded however often it is done. */
export function mergeChanges(older: Changes, newer: Changes): Changes {
  const queues = distinct([...older.queues, ...newer.queues]);
  const accounts = distinct([...older.accounts, ...newer.accounts]);
  const operations = distinct([...older.operations, ...newer.operations]);
  const jobs = [...new Map([...older.jobs, ...newer.jobs].map((job) => [job.id, job])).values()];
  const cut = [queues, accounts, jobs, operations].some(({ length }) => length > MAX_NAMED);
  return {
    queues: queues.slice(-MAX_NAMED),
    accounts: accounts.slice(-MAX_NAMED),
    jobs: jobs.slice(-MAX_NAMED),
    operations: operations.slice(-MAX_NAMED),
    workers: older.workers || newer.workers,
    more: older.more || newer.more || cut,
  };
}

/**
 * What of it a reader limited to accounts may learn. Not that there is more either: how much others do is none of its
 * business.
 */
export function changesOf(accounts: ReadonlySet<string>, changes: Changes): Changes {
  return {
    ...NO_CHANGES,
    accounts: changes.accounts.filter((account) => accounts.has(account)),
    jobs: changes.jobs.filter(({ account }) => account !== undefined && accounts.has(account)),
  };
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}
