import { Worker, type Job, type JobJson, type KeyPrefixOptions, type WorkerOptions } from 'bullmq';
import type { BackendFactory } from 'bullmq';
import type { FairlaneBackend } from '../backend/fairlane-backend.js';
import { FairlaneJob } from '../jobs/fairlane-job.js';
import { Lease } from './lease.js';
import type { SlotCount } from './slot-count.js';

type Settle = NonNullable<FairlaneJob['onSettled']>;
type Process = (job: FairlaneJob, lease: Lease, cancelled: AbortSignal) => Promise<unknown>;

interface Running {
  readonly name: string;
  readonly lease: Lease;
  readonly cancelled: AbortController;
}

/** BullMQ's worker with jobs of our class, and a lease and a way to be cancelled for each running job. */
export class FairlaneWorker extends Worker<unknown, unknown> {
  readonly #running = new Map<string, Running>();
  readonly #leaseMs: number;
  readonly #errorPauseMs: number;
  readonly #onSettled: Settle;
  readonly #slots: SlotCount;
  /** Slots that have a job, from when it was handed out until nothing follows it. */
  #taken = 0;
  /** When a handler last ended while every slot was busy. */
  #fullUntilMs = Number.NEGATIVE_INFINITY;

  constructor(
    name: string,
    process: Process,
    onSettled: Settle,
    slots: SlotCount,
    options: WorkerOptions & KeyPrefixOptions & { lockDuration: number; runRetryDelay: number },
    backends: BackendFactory<FairlaneBackend>,
  ) {
    super(
      name,
      async (job) => this.#withLease(job as FairlaneJob, process),
      { ...options, concurrency: slots.count },
      backends,
    );
    this.#leaseMs = options.lockDuration;
    this.#errorPauseMs = options.runRetryDelay;
    this.#onSettled = onSettled;
    this.#slots = slots;
  }

  get fairlaneBackend(): FairlaneBackend {
    return this.backend as unknown as FairlaneBackend;
  }

  /** Jobs whose handlers run now. */
  get busyCount(): number {
    return this.#running.size;
  }

  /**
   * For how long the consume loop has not asked for work though a slot was free. Finishing a job brings the next one
   * along, so the loop itself is silent for as long as there is a backlog and every slot is busy.
   */
  get unaskedMs(): number {
    return Math.min(this.fairlaneBackend.unaskedMs, performance.now() - this.#fullUntilMs);
  }

  /** Most jobs it may run at once; `concurrency` is how many it runs just now. */
  get maxSlots(): number {
    return this.#slots.max;
  }

  /** Ids and names of the jobs whose handlers run now. */
  get runningJobs(): { readonly id: string; readonly name: string }[] {
    return [...this.#running].map(([id, { name }]) => ({ id, name }));
  }

  /** To be called now and then where the number of slots may change; more of them come by themselves. */
  adjustSlots(): void {
    this.#slots.observe(this.#taken, performance.now());
    this.concurrency = this.#slots.count;
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

  /** What took the last free slot may not be all there is: the loop looks at `concurrency` next. */
  protected override async moveToActive(token: string, name?: string): Promise<Job<unknown, unknown>> {
    let job: Job<unknown, unknown>;
    try {
      job = await super.moveToActive(token, name);
    } catch (error) {
      // BullMQ pauses after a lost connection only, and would ask a full or read-only server hundreds of times a second.
      if (error instanceof Error && error.name === 'ReplyError') await this.#untilClosing(this.#errorPauseMs);
      throw error;
    }
    if (job !== undefined) {
      this.#taken += 1;
      this.adjustSlots();
    }
    return job;
  }

  /** After so long, or as soon as the worker is to close. */
  async #untilClosing(ms: number): Promise<void> {
    if (this.closing !== undefined) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.off('closing', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.on('closing', end);
    });
  }

  override async processJob(
    ...args: Parameters<Worker<unknown, unknown>['processJob']>
  ): Promise<Job<unknown, unknown> | void> {
    let next: Job<unknown, unknown> | void = undefined;
    try {
      next = await super.processJob(...args);
      return next;
    } finally {
      if (!next) this.#taken -= 1;
    }
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
    const running = { name: job.name, lease, cancelled: new AbortController() };
    if (this.fairlaneBackend.takeCancelled(id)) running.cancelled.abort();
    this.#running.set(id, running);
    try {
      return await process(job, lease, running.cancelled.signal);
    } finally {
      lease.release();
      if (this.busyCount >= this.concurrency) this.#fullUntilMs = performance.now();
      if (this.#running.get(id) === running) this.#running.delete(id);
    }
  }
}
