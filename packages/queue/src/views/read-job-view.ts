import type { JobState } from '@fairlane/sdk';
import type { FairlaneBackend } from '../backend/fairlane-backend.js';
import { UnavailableError } from '../errors.js';
import { pairsOf } from '../redis/replies.js';
import { toJobView, type EffectSummary, type InspectedJob, type JobView } from './job-view.js';

/** What is read of the ledger of effects; the ledger itself fits. */
export interface EffectReader {
  effects(jobId: string): Promise<readonly EffectSummary[]>;
}

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

  /** @param accounts where given, jobs of others are as unknown, and as fast, as jobs that never were. */
  async read(id: string, accounts?: ReadonlySet<string>): Promise<JobView | undefined> {
    const job = await this.#inspect(id, accounts);
    return job && toJobView(job, await this.#effectsOf(job));
  }

  /** The job's data as it is stored, whatever its size. */
  async readData(id: string): Promise<string | undefined> {
    const job = await this.#inspect(id, undefined, true);
    return job && (job.fields.get('data') ?? '');
  }

  async #inspect(
    id: string,
    accounts?: ReadonlySet<string>,
    withPayload = false,
  ): Promise<InspectedJob | undefined> {
    const only = accounts === undefined ? '' : JSON.stringify([...accounts]);
    const reply = await this.#backend.inspect(id, [only, withPayload ? '1' : '', ...this.#queues]);
    return reply === null ? undefined : readReply(id, reply);
  }

  /** A job whose key was never started, in this run or an earlier one, has none; the ledger need not be asked. */
  async #effectsOf({ id, fields }: InspectedJob): Promise<readonly EffectSummary[]> {
    const wasStarted = STARTED_FIELDS.some((field) => fields.has(field));
    if (this.#effects === undefined || !wasStarted) return [];
    try {
      return await this.#effects.effects(id);
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
