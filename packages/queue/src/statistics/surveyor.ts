import type { HeldReason, Lanes } from '@fairlane/lanes';
import type { RedisClient } from 'bullmq';
import type { Redis } from 'ioredis';
import { describeError, type QueueLogger } from '../logging.js';
import { readTime } from '../redis/server-clock.js';
import { PLAIN_SCRIPTS } from '../scripts/commands.js';
import { readQueueCounts, type QueueCounts } from '../views/queue-counts.js';
import { KEPT_SECONDS, minutesStem, SAMPLE_FIELDS } from './minutes.js';

/** How a queue stood when it was looked at. */
export interface QueueState {
  /** When, ms since the epoch. */
  readonly at: number;
  readonly counts: QueueCounts;
  readonly paused: boolean;
  /** Age of the oldest job that could run, since when it could; null when none could. */
  readonly oldestEligibleAgeMs: number | null;
  /** Accounts' lanes with jobs that could run. */
  readonly openLanes: number;
  /** Lanes by what keeps them, and the age of the oldest job of them. */
  readonly held: Partial<
    Record<HeldReason | 'queue_paused', { readonly lanes: number; readonly oldestAgeMs: number }>
  >;
  /** False: there were more lanes than were looked at, and what is told of them is too small. */
  readonly isWhole: boolean;
}

export interface SurveyorOptions {
  readonly client: Redis;
  /** The same connection as BullMQ sees it, with our scripts defined. */
  readonly commands: () => Promise<RedisClient>;
  readonly lanes: Lanes;
  readonly prefix: string;
  readonly queues: readonly string[];
  readonly everyMs: number;
  readonly logger: QueueLogger;
}

/** Lanes looked at in one queue: more than so many take Redis a fifth of a second. */
const MOST_LANES = 20_000;
/** A look at very many lanes makes the next one wait: one takes Redis some 10 us, looking may take a twentieth of the time. */
const REST_MS_PER_LANE = 0.2;
/** What nobody has renewed for this long is no news. */
const KEPT_STATES_MS = 120_000;

/**
 * Looks at all queues now and then, one process at a time under a short lease, and keeps what it saw in Redis: for the
 * metrics, which every process then tells alike, and as a sample in the minute that runs. A process that dies in the
 * middle costs one look.
 */
export class Surveyor {
  readonly #options: SurveyorOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(options: SurveyorOptions) {
    this.#options = options;
  }

  start(): void {
    const { client } = this.#options;
    if (client.status === 'ready') this.#turn();
    else client.once('ready', () => this.#turn());
    // More often than the lease, so that the turn of one who is gone is soon taken.
    this.#timer = setInterval(() => this.#turn(), Math.max(50, this.#options.everyMs / 2));
    this.#timer.unref();
  }

  /** No more looks; one that is at work ends with the connection at the latest. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
  }

  async ended(): Promise<void> {
    await this.#running;
  }

  /** As they stood at the last look of any process. */
  async states(): Promise<ReadonlyMap<string, QueueState>> {
    const { client, queues } = this.#options;
    const stored = await client.hgetall(this.#key('states'));
    const states = new Map<string, QueueState>();
    for (const queue of queues) {
      const text = stored[queue];
      if (text !== undefined) states.set(queue, JSON.parse(text) as QueueState);
    }
    return states;
  }

  #key(name: string): string {
    // No queue has an empty name, so these are no minutes.
    return `${minutesStem(this.#options.prefix)}:${name}`;
  }

  #turn(): void {
    this.#running ??= this.#survey()
      .catch((error: unknown) => {
        if (!this.#stopped) this.#options.logger.warn(describeError(error), 'the queues were not looked at');
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #survey(): Promise<void> {
    const { client, everyMs } = this.#options;
    if (this.#stopped || client.status !== 'ready') return;
    const turn = this.#key('turn');
    if ((await client.set(turn, '1', 'PX', everyMs, 'NX')) === null) return;
    const states = await this.#look();
    await this.#keep(states);
    const restMs = Math.ceil(REST_MS_PER_LANE * lanesIn(states));
    if (restMs > everyMs) await client.set(turn, '1', 'PX', restMs);
  }

  async #look(): Promise<Map<string, QueueState>> {
    const { lanes, queues } = this.#options;
    const states = new Map<string, QueueState>();
    for (const queue of queues) {
      if (this.#stopped) break;
      const counts = await readQueueCounts(lanes, queue);
      const { paused } = await lanes.queueCounts(queue);
      const { open, openSince, held, isWhole } = await lanes.survey(queue, MOST_LANES);
      states.set(
        queue,
        stateOf({ counts, paused, open, openSince, held, isWhole, at: await this.#serverMs() }),
      );
    }
    return states;
  }

  async #serverMs(): Promise<number> {
    return Math.floor(readTime(await this.#options.client.time()));
  }

  async #keep(states: ReadonlyMap<string, QueueState>): Promise<void> {
    if (states.size === 0) return;
    const { client, commands, prefix } = this.#options;
    const args: (string | number)[] = [minutesStem(prefix), KEPT_SECONDS];
    for (const [queue, { counts, oldestEligibleAgeMs }] of states) {
      const { ready, held, active, oldestEligibleAgeMs: age } = SAMPLE_FIELDS;
      args.push(queue, 4, ready, counts.ready, held, counts.held, active, counts.active);
      args.push(age, oldestEligibleAgeMs ?? '');
    }
    await (await commands()).runCommand(PLAIN_SCRIPTS.count.name, args);
    const key = this.#key('states');
    const stored = [...states].flatMap(([queue, state]) => [queue, JSON.stringify(state)]);
    await client
      .multi()
      .hset(key, ...stored)
      .pexpire(key, KEPT_STATES_MS)
      .exec();
  }
}

function lanesIn(states: ReadonlyMap<string, QueueState>): number {
  const held = (state: QueueState) => Object.values(state.held).reduce((sum, { lanes }) => sum + lanes, 0);
  return [...states.values()].reduce((sum, state) => sum + state.openLanes + held(state), 0);
}

type Look = Awaited<ReturnType<Lanes['survey']>> & Pick<QueueState, 'at' | 'counts' | 'paused'>;

function stateOf({ at, counts, paused, open, openSince, held, isWhole }: Look): QueueState {
  const oldest = openSince === null ? null : Math.max(0, at - openSince);
  const reasons: QueueState['held'] = Object.fromEntries(
    Object.entries(held).map(([reason, { lanes, since }]) => [
      reason,
      { lanes, oldestAgeMs: Math.max(0, at - since) },
    ]),
  );
  if (!paused)
    return { at, counts, paused, oldestEligibleAgeMs: oldest, openLanes: open, held: reasons, isWhole };
  // Nothing of a paused queue can run, whatever its lanes say.
  const waiting = oldest === null ? {} : { queue_paused: { lanes: open, oldestAgeMs: oldest } };
  return {
    at,
    counts,
    paused,
    oldestEligibleAgeMs: null,
    openLanes: 0,
    held: { ...reasons, ...waiting },
    isWhole,
  };
}
