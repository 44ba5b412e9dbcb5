import { Worker, type Job, type JobJson, type KeyPrefixOptions, type WorkerOptions } from 'bullmq';
import type { BackendFactory } from 'bullmq';
import type { FairlaneBackend } from '../backend/fairlane-backend.js';
import { FairlaneJob } from '../jobs/fairlane-job.js';
import { Lease } from './lease.js';

type Settle = NonNullable<FairlaneJob['onSettled']>;
type Process = (job: FairlaneJob, lease: Lease, cancelled: AbortSignal) => Promise<unknown>;

interface Running {
  readonly lease: Lease;
  readonly cancelled: AbortController;
}

/** BullMQ's worker with jobs of our class, and a lease and a way to be cancelled for each running job. */
export class FairlaneWorker extends Worker<unknown, unknown> {
  readonly #running = new Map<string, Running>();
  readonly #leaseMs: number;
  readonly #onSettled: Settle;

  constructor(
    name: string,
    process: Process,
    onSettled: Settle,
    options: WorkerOptions & KeyPrefixOptions & { lockDuration: number },
    backends: BackendFactory<FairlaneBackend>,
  ) {
    super(name, async (job) => this.#withLease(job as FairlaneJob, process), options, backends);
    this.#leaseMs = options.lockDuration;
    this.#onSettled = onSettled;
  }

  get fairlaneBackend(): FairlaneBackend {
    return this.backend as unknown as FairlaneBackend;
  }

  /** Jobs whose handlers run now. */
  get busyCount(): number {
    return this.#running.size;
  }

  /** Aborts the job of that id if it runs here. */
  cancelRunning(id: string): void {
    this.#running.get(id)?.cancelled.abort();
  }

  /**
   * Renews the locks of running jobs and, with them, the leases. The new deadline is counted from before the request,
   * so that it never lies after the lock's end in Redis.
   */
  override async extendJobLocks(jobIds: string[], tokens: string[], duration: number): Promise<string[]> {
    const askedAtMs = performance.now();
    const [refused, cancelled] = await Promise.all([
      super.extendJobLocks(jobIds, tokens, duration),
      // Only makes good a message that was lost: the next renewal asks again.
      this.fairlaneBackend.cancelledOf(jobIds).catch(() => []),
    ]);
    const lost = new Set(refused);
    for (const id of jobIds) {
      const lease = this.#running.get(id)?.lease;
      if (lost.has(id)) lease?.lose();
      else lease?.extend(askedAtMs + duration);
    }
    for (const id of cancelled) this.cancelRunning(id);
    return refused;
  }

  protected override createJob(data: JobJson, jobId: string): Job<unknown, unknown> {
    const job = FairlaneJob.fromJSON<unknown, unknown, string>(this, data, jobId) as FairlaneJob;
    job.onSettled = this.#onSettled;
    return job;
  }

  async #withLease(job: FairlaneJob, process: Process): Promise<unknown> {
    const id = job.id ?? '';
    // `processedOn` is this process' clock from before the request that took the lock.
    const takenMsAgo = Math.max(0, Date.now() - (job.processedOn ?? Date.now()));
    const lease = new Lease(performance.now() - takenMsAgo + this.#leaseMs);
    const running = { lease, cancelled: new AbortController() };
    if (this.fairlaneBackend.takeCancelled(id)) running.cancelled.abort();
    this.#running.set(id, running);
    try {
      return await process(job, lease, running.cancelled.signal);
    } finally {
      lease.release();
      if (this.#running.get(id) === running) this.#running.delete(id);
    }
  }
}
