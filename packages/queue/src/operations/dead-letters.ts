import { jobOwner, type Blobs } from '@fairlane/blobs';
import type { Page } from '@fairlane/lanes';
import type { Backends } from '../backend/open-backends.js';
import { UnavailableError } from '../errors.js';
import { readClaimCheck } from '../payloads/stored-payload.js';
import type { JobView } from '../views/job-view.js';
import type { EffectReader, JobViewReader } from '../views/read-job-view.js';
import { readDeadRows } from './dead-rows.js';
import { listDeadLetters, type DeadLetter, type DeadLetterFilter } from './list-dead-letters.js';
import { unresolvedEffects, type UnsettledReader } from './open-effects.js';

/** A person's word on an effect whose outcome nobody could tell. */
export interface EffectVerdict {
  readonly outcome: 'applied' | 'not_applied';
  /** What the outside calls it. */
  readonly externalId?: string;
}

/** What people read and change of the ledger of effects; the ledger itself fits. */
export interface EffectDesk extends EffectReader, UnsettledReader {
  resolve(
    request: { readonly jobId: string; readonly name: string } & EffectVerdict,
  ): Promise<'resolved' | 'no_such_effect' | 'settled'>;
}

export type ReplayOutcome =
  | 'replayed'
  /** An effect may or may not have been applied; a person says which, and then it goes on. */
  | 'unresolved_effect'
  /** The catalogue has no such queue any more: nothing would run the job. */
  | 'undeclared_queue'
  | 'not_dead'
  | 'not_found';

export type PurgeOutcome = 'purged' | 'undeclared_queue' | 'not_dead' | 'not_found';

export type ResolveOutcome =
  /** The job goes on as a new run. */
  | 'replayed'
  /** The job stays dead: another effect is unresolved, it did not die of this one, or its queue is not declared. */
  | 'resolved'
  | 'nothing_unresolved'
  | 'unknown_effect'
  | 'not_found';

/** What people do about dead letters. */
export class DeadLetters {
  readonly #backends: Backends;
  readonly #views: JobViewReader;
  readonly #effects: EffectDesk | undefined;
  readonly #blobs: Blobs | undefined;

  constructor(
    backends: Backends,
    views: JobViewReader,
    { effects, blobs }: { readonly effects?: EffectDesk | undefined; readonly blobs?: Blobs | undefined },
  ) {
    this.#backends = backends;
    this.#views = views;
    this.#effects = effects;
    this.#blobs = blobs;
  }

  async list(filter: DeadLetterFilter): Promise<Page<DeadLetter>> {
    const { queues, backendOf } = this.#backends;
    return listDeadLetters(queues.map(backendOf), filter);
  }

  /** What the latest dead jobs of an account died of. */
  async codesOf(account: string, limit: number): Promise<readonly string[]> {
    const { queues, backendOf } = this.#backends;
    const { rows } = await readDeadRows(queues.map(backendOf), { filter: { account }, limit });
    return rows.map(({ code }) => code);
  }

  async replay(id: string): Promise<ReplayOutcome> {
    const job = await this.#views.read(id);
    if (job === undefined) return 'not_found';
    if (job.state !== 'dead') return 'not_dead';
    if (!this.#backends.isDeclared(job.queue)) return 'undeclared_queue';
    if (unresolvedEffects(job).length > 0) return 'unresolved_effect';
    return (await this.#replayRun(job)) ? 'replayed' : 'not_dead';
  }

  /** Frees the key. The ledger stays: the same work handed in again skips the effects that were applied. */
  async purge(id: string): Promise<PurgeOutcome> {
    const job = await this.#views.read(id);
    if (job === undefined) return 'not_found';
    if (job.state !== 'dead') return 'not_dead';
    if (!this.#backends.isDeclared(job.queue)) return 'undeclared_queue';
    const claim = readClaimCheck((await this.#views.readData(id)) ?? '');
    if (!(await this.#backends.backendOf(job.queue).removeDead(id, diedAtMs(job)))) return 'not_dead';
    // Left out, by a crash or an error, the sweep asks within an hour and hears that there is no job.
    if (claim) await this.#blobs?.release(claim.blob, jobOwner(id, claim.use)).catch(() => undefined);
    return 'purged';
  }

  /**
   * Settles an effect and lets the job go on that died of it. The two steps are not one: a call that failed between
   * them can be made again.
   */
  async resolveEffect(id: string, name: string, verdict: EffectVerdict): Promise<ResolveOutcome> {
    const job = await this.#views.read(id);
    if (job === undefined) return 'not_found';
    if (job.effects.every((effect) => effect.name !== name)) return 'unknown_effect';
    // While it runs, the outcome is still the handler's to find out.
    if (job.state !== 'dead') return 'nothing_unresolved';
    const unresolved = unresolvedEffects(job);
    const others = unresolved.filter((effect) => effect.name !== name);
    const isAskedAgain = unresolved.length === 0 && diedOfUnknown(job);
    if (others.length === unresolved.length && !isAskedAgain) return 'nothing_unresolved';
    if ((await this.#resolve(id, name, verdict)) !== 'resolved') return 'nothing_unresolved';
    const mayGoOn = others.length === 0 && this.#backends.isDeclared(job.queue);
    if (!mayGoOn || !diedOfUnknown(job)) return 'resolved';
    // False: somebody else has replayed it since.
    await this.#replayRun(job);
    return 'replayed';
  }

  /** Only the run that was looked at: a later one may have died of an effect of its own. */
  async #replayRun(job: JobView): Promise<boolean> {
    return this.#backends.backendOf(job.queue).replayDead(job.id, diedAtMs(job));
  }

  async #resolve(jobId: string, name: string, verdict: EffectVerdict) {
    try {
      return await this.#effects?.resolve({ jobId, name, ...verdict });
    } catch (cause) {
      throw new UnavailableError('the ledger of effects did not answer', { mayHaveRun: true, cause });
    }
  }
}

function diedOfUnknown({ lastError }: JobView): boolean {
  return lastError?.code === 'unknown_outcome';
}

function diedAtMs({ finishedAt = '' }: JobView): number {
  return Date.parse(finishedAt);
}
