import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { UnavailableError } from '../errors.js';
import { Deadline } from './deadline.js';
import { ServerClock } from './server-clock.js';

/**
 * Part of the time limit within which the server may still carry a command out. The rest is for the answer to come
 * back: an answer that comes too late would belong to a job already reported as refused.
 */
const RUN_SHARE = 0.75;

/** What a command of one call may use. */
export interface Session {
  readonly deadline: Deadline;
  /** Now, on the server's clock. */
  readonly nowMs: number;
  /** Server time after which the command must do nothing. */
  readonly runUntilMs: number;
}

/** Commands of producers: bounded in time, never queued, never sent twice. */
export class RedisSessions {
  readonly #client: Redis;
  readonly #clock: ServerClock;
  readonly #timeoutMs: number;
  #closed = false;
  #ready: Promise<void> | undefined;

  constructor(client: Redis, timeoutMs: number) {
    this.#client = client;
    this.#clock = new ServerClock(client);
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Runs `use` on a live connection.
   *
   * @param expired tells from the answer that the server refused it as too late, although we still wait: its clock
   * was set. It is then run once more with a fresh measure.
   * @throws UnavailableError when Redis is away or does not answer in time.
   */
  async run<T>(
    use: (session: Session) => Promise<T>,
    expired: (answer: T) => boolean = () => false,
  ): Promise<T> {
    const deadline = new Deadline(this.#timeoutMs);
    if (this.#closed || this.#client.status !== 'ready') await this.#untilReady(deadline);
    const answer = await this.#once(use, deadline);
    if (!expired(answer)) return answer;
    this.#clock.invalidate();
    const second = await this.#once(use, deadline);
    if (expired(second)) throw new UnavailableError('Redis answered too late', { mayHaveRun: false });
    return second;
  }

  /** Lets commands on their way be answered, within the time limit. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    // Adds of one turn share a call, which goes out at its end.
    await endOfTurn();
    try {
      if (this.#client.status === 'ready') {
        await new Deadline(this.#timeoutMs).wait(this.#client.quit(), { mayHaveRun: true });
      }
    } catch {
      // The connection broke or hangs: there is nothing left to wait for.
    } finally {
      this.#client.disconnect();
    }
  }

  async #once<T>(use: (session: Session) => Promise<T>, deadline: Deadline): Promise<T> {
    let mayHaveRun = false;
    try {
      const nowMs = this.#clock.knownMs ?? (await deadline.wait(this.#clock.nowMs(), { mayHaveRun }));
      const session = { deadline, nowMs, runUntilMs: Math.floor(nowMs + deadline.leftMs * RUN_SHARE) };
      mayHaveRun = true;
      return await deadline.wait(use(session), { mayHaveRun });
    } catch (error) {
      throw asUnavailable(error, { mayHaveRun });
    }
  }

  async #untilReady(deadline: Deadline): Promise<void> {
    const client = this.#client;
    if (this.#closed) throw new UnavailableError('the producer is closed', { mayHaveRun: false });
    // One listener for all that wait, however many.
    this.#ready ??= new Promise((resolve) => {
      client.once('ready', () => {
        this.#ready = undefined;
        resolve();
      });
    });
    await deadline.wait(this.#ready, { mayHaveRun: false });
  }
}

/** An answer of Redis, such as out of memory, is no outage of the connection: nothing ran. */
export function asUnavailable(error: unknown, { mayHaveRun }: { mayHaveRun: boolean }): unknown {
  if (!(error instanceof Error) || error instanceof UnavailableError) return error;
  if (/^(?:OOM|LOADING|READONLY|MASTERDOWN|NOREPLICAS|MISCONF|BUSY)\b/.test(error.message)) {
    return new UnavailableError(`Redis refuses writes: ${error.message.slice(0, 200)}`, {
      mayHaveRun: false,
      cause: error,
    });
  }
  if (/enableOfflineQueue/.test(error.message)) {
    return new UnavailableError('no connection to Redis', { mayHaveRun: false, cause: error });
  }
  if (/MaxRetriesPerRequestError|AbortError/.test(error.name) || /Connection is closed/.test(error.message)) {
    return new UnavailableError('the connection to Redis broke', { mayHaveRun, cause: error });
  }
  return error;
}
