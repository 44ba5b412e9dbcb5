import { createIORedisClient, type IRedisTransaction, type RedisClient } from 'bullmq';
import type { Redis } from 'ioredis';
import type { DedupTerms, FairlaneBackend } from '../backend/fairlane-backend.js';
import { readReply, type EnqueueResult } from './enqueue-result.js';
import { asUnavailable, type Session } from '../redis/redis-session.js';
import type { EnqueueSchedule } from './schedule.js';
import { toJobJson, type Submission } from './submission.js';

/** Sends checked jobs to Redis, one script each. */
export class Sender {
  readonly #client: RedisClient;
  readonly #backendOf: (queue: string) => FairlaneBackend;
  readonly #retentionMs: number;

  constructor(client: Redis, backendOf: (queue: string) => FairlaneBackend, retentionMs: number) {
    // ioredis without its adapter has no structured commands, which BullMQ's backend calls.
    this.#client = createIORedisClient(client);
    this.#backendOf = backendOf;
    this.#retentionMs = retentionMs;
  }

  /** @returns undefined when the server took it as too late. */
  async one(
    submission: Submission,
    schedule: EnqueueSchedule,
    session: Session,
  ): Promise<EnqueueResult | undefined> {
    const reply = await this.#submit(this.#client, submission, schedule, session);
    return readReply(submission, reply, isAhead(schedule, session));
  }

  /** One round trip for all; results in order. @returns undefined when the server took them as too late. */
  async many(
    submissions: readonly Submission[],
    schedule: EnqueueSchedule,
    session: Session,
  ): Promise<EnqueueResult[] | undefined> {
    const pipeline = this.#client.pipeline();
    for (const submission of submissions) {
      // Puts the command into the pipeline before it returns; the promise is the pipeline itself.
      this.#submit(pipeline, submission, schedule, session).catch(() => undefined);
    }
    const replies = (await pipeline.exec()) ?? [];
    const results: EnqueueResult[] = [];
    for (const [at, submission] of submissions.entries()) {
      const [error, reply] = replies[at] ?? [new Error('no reply in the pipeline')];
      const result =
        error === null ? readReply(submission, reply, isAhead(schedule, session)) : refused(error);
      if (result === undefined) return undefined;
      results.push(result);
    }
    return results;
  }

  #submit(
    client: RedisClient | IRedisTransaction,
    submission: Submission,
    schedule: EnqueueSchedule,
    session: Session,
  ): Promise<unknown> {
    const terms: DedupTerms = {
      id: submission.identity.id,
      account: submission.identity.account,
      digest: submission.digest,
      retentionMs: this.#retentionMs,
      // A blob may be gone when its hold is over: a job that names it must be there before, or never.
      deadlineMs: Math.min(session.runUntilMs, submission.hold?.heldUntilMs ?? Infinity),
      onConflict: submission.contract.onConflict,
      ...submission.bounds,
    };
    const job = toJobJson(submission, schedule, session.nowMs);
    return this.#backendOf(submission.queue).submit(client, job, terms);
  }
}

/** A job of a batch that Redis could not take is refused alone: the others have their answers. */
function refused(error: Error): EnqueueResult {
  const reason = asUnavailable(error, { mayHaveRun: true });
  if (reason === error) throw error;
  return { outcome: 'refused', code: 'unavailable', issues: [] };
}

function isAhead({ dueAtMs, delayMs }: EnqueueSchedule, { nowMs }: Session): boolean {
  return dueAtMs === undefined ? delayMs > 0 : dueAtMs > nowMs;
}
