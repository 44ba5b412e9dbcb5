import { describeError, retryAfter, type Logger, type Principal } from '@fairlane/runtime';
import {
  changesOf,
  isNothing,
  mergeChanges,
  NO_CHANGES,
  type ChangeFeed,
  type Changes,
} from '@fairlane/queue';
import { Problem } from '../http/problems.js';
import { EventStream } from './event-stream.js';

export interface EventHubOptions {
  readonly feed: ChangeFeed;
  readonly logger: Logger;
  /** Default 1,000. */
  readonly everyMs?: number;
  /** Default 15,000. */
  readonly heartbeatMs?: number;
}

/** A board's users share its token, each of their tabs has one stream. */
const MAX_STREAMS_PER_TOKEN = 100;
const MAX_STREAMS = 400;
/** Whoever was away for longer is told to read everything again. */
const MAX_AWAY_MS = 5 * 60_000;

interface Reader {
  readonly principal: Principal;
  readonly stream: EventStream;
}

/**
 * Tells the open streams once a second what has changed. One reading serves all of them, and none is made while there
 * is no stream.
 */
export class EventHub {
  readonly #options: EventHubOptions;
  readonly #readers = new Set<Reader>();
  readonly #timers: NodeJS.Timeout[];
  /** Up to where all streams have been told. */
  #place: number | undefined;
  #isReading = false;
  #closed = false;

  constructor(options: EventHubOptions) {
    this.#options = options;
    this.#timers = [
      setInterval(() => void this.#read(), options.everyMs ?? 1_000),
      setInterval(() => this.#beat(), options.heartbeatMs ?? 15_000),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  get streamCount(): number {
    return this.#readers.size;
  }

  /**
   * A stream for a caller; with the id of the last event it saw, what has changed since comes first.
   *
   * @throws Problem `too_many_streams`; `unavailable` while Redis is away.
   */
  async open(principal: Principal, lastEventId: string | undefined): Promise<EventStream> {
    const own = [...this.#readers].filter((reader) => reader.principal.id === principal.id).length;
    if (own >= MAX_STREAMS_PER_TOKEN || this.#readers.size >= MAX_STREAMS || this.#closed) {
      throw new Problem('too_many_streams', { headers: retryAfter(10_000) });
    }
    const stream = new EventStream(() => this.#readers.delete(reader));
    const reader = { principal, stream };
    // Counted and told of what happens before anything is awaited, so that nothing falls between.
    this.#readers.add(reader);
    try {
      const now = await this.#options.feed.now();
      this.#place ??= now;
      if (lastEventId !== undefined) await this.#catchUp(reader, lastEventId, now);
    } catch (error) {
      stream.end();
      throw error;
    }
    return stream;
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const { stream } of this.#readers) stream.end();
  }

  async #catchUp(reader: Reader, lastEventId: string, now: number): Promise<void> {
    const from = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : NaN;
    if (from <= now && from >= now - MAX_AWAY_MS) {
      const { changes, place } = await this.#options.feed.since(from);
      this.#tell(reader, changes, place);
    } else {
      reader.stream.push({ ...NO_CHANGES, more: true, reset: true }, now);
    }
  }

  async #read(): Promise<void> {
    if (this.#readers.size === 0) this.#place = undefined;
    if (this.#place === undefined || this.#isReading) return;
    this.#isReading = true;
    try {
      const { changes, place } = await this.#options.feed.since(this.#place);
      this.#place = place;
      for (const reader of this.#readers) this.#tell(reader, changes, place);
    } catch (error) {
      // Streams stay open: when Redis is back the next reading goes on from the same place.
      this.#options.logger.debug({ error: describeError(error) }, 'no events were read');
    } finally {
      this.#isReading = false;
    }
  }

  #tell({ principal, stream }: Reader, all: Changes, place: number): void {
    const changes = principal.accounts === undefined ? all : changesOf(principal.accounts, all);
    if (!isNothing(changes)) stream.push(mergeChanges(changes, NO_CHANGES), place);
  }

  #beat(): void {
    for (const { stream } of this.#readers) stream.beat();
  }
}
