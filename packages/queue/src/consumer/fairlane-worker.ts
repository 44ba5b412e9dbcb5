import { Worker, type Job, type JobJson, type KeyPrefixOptions, type WorkerOptions } from 'bullmq';
import { createFairlaneBackend } from '../backend/backend-factory.js';
import type { FairlaneBackend } from '../backend/fairlane-backend.js';
import { FairlaneJob } from '../jobs/fairlane-job.js';
import { Lease } from './lease.js';

type Process = (job: FairlaneJob, lease: Lease) => Promise<unknown>;

/** BullMQ's worker with jobs of our class and a lease for each running job. */
export class FairlaneWorker extends Worker<unknown, unknown> {
  readonly #leases = new Map<string, Lease>();
  readonly #leaseMs: number;

  constructor(
    name: string,
    process: Process,
    options: WorkerOptions & KeyPrefixOptions & { lockDuration: number },
  ) {
    super(name, async (job) => this.#withLease(job as FairlaneJob, process), options, createFairlaneBackend);
    this.#leaseMs = options.lockDuration;
  }

  get fairlaneBackend(): FairlaneBackend {
    return this.backend as unknown as FairlaneBackend;
  }

  /** Jobs whose handlers run now. */
  get busyCount(): number {
    return this.#leases.size;
  }

  /**
   * Renews the locks of running jobs and, with them, the leases. The new deadline is counted from before the request,
   * so that it never lies after the lock's end in Redis.
   */
  override async extendJobLocks(jobIds: string[], tokens: string[], duration: number): Promise<string[]> {
    const askedAtMs = performance.now();
    const refused = await super.extendJobLocks(jobIds, tokens, duration);
    const lost = new Set(refused);
    for (const id of jobIds) {
      const lease = this.#leases.get(id);
      if (lost.has(id)) lease?.lose();
      else lease?.extend(askedAtMs + duration);
    }
    return refused;
  }

  protected override createJob(data: JobJson, jobId: string): Job<unknown, unknown> {
    return FairlaneJob.fromJSON(this, data, jobId);
  }

  async #withLease(job: FairlaneJob, process: Process): Promise<unknown> {
    const id = job.id ?? '';
    // `processedOn` is this process' clock from before the request that took the lock.
    const takenMsAgo = Math.max(0, Date.now() - (job.processedOn ?? Date.now()));
    const lease = new Lease(performance.now() - takenMsAgo + this.#leaseMs);
    this.#leases.set(id, lease);
    try {
      return await process(job, lease);
    } finally {
      lease.release();
      if (this.#leases.get(id) === lease) this.#leases.delete(id);
    }
  }
}
