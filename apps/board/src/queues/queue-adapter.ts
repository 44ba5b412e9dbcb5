import { BaseAdapter } from '@bull-board/api/dist/queueAdapters/base.js';
import type {
  JobCounts,
  JobState,
  JobStatus,
  QueueJob,
  QueueMetrics,
  Status,
} from '@bull-board/api/typings/app';
import type { BoardRole } from '@fairlane/runtime';
import { BoardProblem } from '../http/problem.js';
import { readJobHashes, type JobHash, type Redis } from './job-hash.js';
import type { PayloadRules } from './payload-rules.js';
import { presentJob } from './present-job.js';

const jobStatuses = ['active', 'waiting', 'prioritized', 'delayed', 'failed', 'completed'] as const;
type ListedStatus = (typeof jobStatuses)[number];

/** What the board reads from a queue of BullMQ. */
export interface BoardQueue {
  readonly name: string;
  toKey(suffix: string): string;
  getRanges(statuses: ListedStatus[], start: number, end: number): Promise<string[]>;
  getJobCounts(...statuses: ListedStatus[]): Promise<Record<string, number>>;
  getJobState(id: string): Promise<string>;
  isPaused(): Promise<boolean>;
}

export interface BoardQueueDeps {
  redis: Redis;
  rules: PayloadRules;
  /** Runs a dead job again as a new run. @throws BoardProblem where that must not be */
  replay(queueName: string, jobId: string): Promise<void>;
}

const maxJobsPerPage = 100;

/** In lists a value is read beyond what is shown of it, to find its secrets in the job's error. */
const listBounds = { maxReadBytes: 32 * 1024, maxShownBytes: 8 * 1024 };
const pageBounds = { maxReadBytes: 100 * 1024, maxShownBytes: 100 * 1024 };

/**
 * A queue as Bull Board may see it in one role: bounded reads, masked values, replay instead of retry.
 * Not a subclass of its BullMQ adapter, which reads whole jobs and can do everything: what is not written
 * here cannot happen, whatever route asks for it.
 */
export class BoardQueueAdapter extends BaseAdapter {
  readonly #queue: BoardQueue;
  readonly #role: BoardRole;
  readonly #deps: BoardQueueDeps;

  constructor(queue: BoardQueue, role: BoardRole, deps: BoardQueueDeps) {
    super('bullmq', {
      readOnlyMode: role === 'viewer',
      allowRetries: role === 'operator',
      allowCompletedRetries: false,
    });
    this.#queue = queue;
    this.#role = role;
    this.#deps = deps;
  }

  getName(): string {
    return this.#queue.name;
  }

  getStatuses(): Status[] {
    return ['latest', ...jobStatuses];
  }

  getJobStatuses(): JobStatus[] {
    return [...jobStatuses];
  }

  getJobCounts(): Promise<JobCounts> {
    return this.#queue.getJobCounts(...jobStatuses);
  }

  async getJobs(statuses: JobStatus[], start = 0, end = maxJobsPerPage - 1): Promise<QueueJob[]> {
    const listed = jobStatuses.filter((status) => statuses.includes(status));
    if (listed.length === 0) return [];
    const last = Math.min(end, start + maxJobsPerPage - 1);
    const ids = await this.#queue.getRanges(listed, start, last);
    return this.#read(ids.slice(0, maxJobsPerPage), listBounds);
  }

  async getJob(id: string): Promise<QueueJob | undefined> {
    const [job] = await this.#read([id], pageBounds);
    return job;
  }

  isPaused(): Promise<boolean> {
    return this.#queue.isPaused();
  }

  async getRedisInfo(): Promise<null> {
    return null;
  }

  async getGlobalConcurrency(): Promise<null> {
    return null;
  }

  async getJobSchedulers(): Promise<[]> {
    return [];
  }

  async getJobSchedulersCount(): Promise<number> {
    return 0;
  }

  /** Handlers write to the log of their worker, not to Redis. */
  async getJobLogs(): Promise<string[]> {
    return [];
  }

  async getMetrics(): Promise<QueueMetrics> {
    return { meta: { count: 0, prevTS: 0, prevCount: 0 }, data: [], count: 0 };
  }

  addJob = switchedOff;
  clean = switchedOff;
  empty = switchedOff;
  obliterate = switchedOff;
  pause = switchedOff;
  resume = switchedOff;
  promoteAll = switchedOff;
  removeJobScheduler = switchedOff;
  updateJobScheduler = switchedOff;
  runJobSchedulerNow = switchedOff;
  setGlobalConcurrency = switchedOff;

  async #read(
    ids: readonly string[],
    { maxReadBytes, maxShownBytes }: typeof listBounds,
  ): Promise<QueueJob[]> {
    const jobs = ids.map((id) => ({ id, key: this.#queue.toKey(id) }));
    const hashes = await readJobHashes(this.#deps.redis, jobs, maxReadBytes);
    return hashes.map((hash) => this.#present(hash, maxShownBytes));
  }

  #present(hash: JobHash, maxShownBytes: number): QueueJob {
    const json = presentJob(hash, { role: this.#role, rules: this.#deps.rules, maxShownBytes });
    return {
      opts: {},
      toJSON: () => json,
      getState: async () => (await this.#queue.getJobState(hash.id)) as JobState,
      retry: async (state) => {
        if (state !== 'failed') throw new BoardProblem('not_replayable');
        await this.#deps.replay(this.#queue.name, hash.id);
      },
      promote: switchedOff,
      remove: switchedOff,
    };
  }
}

async function switchedOff(): Promise<never> {
  throw new BoardProblem('action_switched_off');
}
