import type { JobState } from '@fairlane/sdk';
import type { FairlaneBackend } from '../backend/fairlane-backend.js';
import { UnavailableError } from '../errors.js';
import { pairsOf } from '../redis/replies.js';
import { toJobView, type EffectSummary, type InspectedJob, type JobView } from './job-view.js';

/** What is read of the ledger of effects; the ledger itself fits. */
export interface EffectReader {
  /** Of those that have any. */
  effectsOf(jobIds: readonly string[]): Promise<ReadonlyMap<string, readonly EffectSummary[]>>;
}

/** Where a job is looked for. */
export interface JobPlace {
  /** Jobs of others are as unknown, and as fast, as jobs that never were. */
  readonly accounts?: ReadonlySet<string> | undefined;
  /** In this queue alone, unless it is known to be in another. */
  readonly queue?: string | undefined;
}

/** Jobs looked at together: what is sent at once keeps others waiting for as long as Redis works on it. */
const READ_AT_ONCE = 100;

/** Starts of this run, errors of the run before a replay, generations of the key before this one. */
const STARTED_FIELDS = ['ats', 'flErrors', 'flGen'];

/** Reads job views on one backend, of jobs in any of the declared queues. */
export class JobViewReader {
  readonly #backend: FairlaneBackend;
  readonly #queues: readonly string[];
  readonly #effects: EffectReader | undefined;

  /** @param queues to look in when the dedup memory does not know the job. */
  constructor(backend: FairlaneBackend, queues: readonly string[], effects: EffectReader | undefined) {
    this.#backend = backend;
    this.#queues = queues;
    this.#effects = effects;
  }

  /** Any of the declared queues, unless one is named: ids of others' jobs say little. */
  async read(id: string, where: JobPlace = {}): Promise<JobView | undefined> {
    const job = await this.#inspect(id, where);
    return job && toJobView(job, (await this.#effectsOf([job])).get(id));
  }

  /** Views of a page of jobs, each in its queue, in their order; those that are gone are left out. */
  async readEach(listed: readonly { readonly id: string; readonly queue: string }[]): Promise<JobView[]> {
    const found: InspectedJob[] = [];
    for (let at = 0; at < listed.length; at += READ_AT_ONCE) {
      const batch = listed.slice(at, at + READ_AT_ONCE);
      const jobs = await Promise.all(batch.map(async ({ id, queue }) => this.#inspect(id, { queue })));
      found.push(...jobs.filter((job) => job !== undefined));
    }
    const effects = await this.#effectsOf(found);
    return found.map((job) => toJobView(job, effects.get(job.id)));
  }

  /** The job's data as it is stored, whatever its size. */
  async readData(id: string, queue?: string): Promise<string | undefined> {
    const job = await this.#inspect(id, queue === undefined ? {} : { queue }, true);
    return job && (job.fields.get('data') ?? '');
  }

  async #inspect(
    id: string,
    { accounts, queue }: JobPlace,
    withPayload = false,
  ): Promise<InspectedJob | undefined> {
    const only = accounts === undefined ? '' : JSON.stringify([...accounts]);
    const queues = queue === undefined ? this.#queues : [queue];
    const reply = await this.#backend.inspect(id, [only, withPayload ? '1' : '', ...queues]);
    return reply === null ? undefined : readReply(id, reply);
  }

  /** A job whose key was never started, in this run or an earlier one, has none; the ledger need not be asked. */
  async #effectsOf(jobs: readonly InspectedJob[]): Promise<ReadonlyMap<string, readonly EffectSummary[]>> {
    const started = jobs.filter(({ fields }) => STARTED_FIELDS.some((field) => fields.has(field)));
    if (this.#effects === undefined || started.length === 0) return new Map();
    try {
      return await this.#effects.effectsOf(started.map(({ id }) => id));
    } catch (cause) {
      throw new UnavailableError('the ledger of effects did not answer', { mayHaveRun: false, cause });
    }
  }
}

function readReply(id: string, reply: unknown): InspectedJob {
  const [queue, state, nowMs, why, nextRunAtMs, leaseMs, flat] = reply as [
    string,
    JobState,
    number,
    string,
    number | '',
    number,
    string[],
  ];
  return {
    id,
    queue,
    state,
    nowMs,
    heldReason: why === '' ? undefined : why,
    nextRunAtMs: nextRunAtMs === '' ? undefined : nextRunAtMs,
    leaseMs,
    fields: new Map(pairsOf(flat)),
  };
}
