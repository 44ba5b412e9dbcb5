/** Owner of a blob that a job needs. `use` tells a job's blobs, and attempts to submit it, apart. */
export function jobOwner(jobId: string, use: string): string {
  return `job:${jobId}:${use}`;
}

/** Id of the job that an owner stands for, or undefined for another kind of owner, such as an upload. */
export function jobOfOwner(owner: string): string | undefined {
  return /^job:([^:]+):/.exec(owner)?.[1];
}
