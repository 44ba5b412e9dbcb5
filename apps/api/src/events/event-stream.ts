import { mergeChanges, type Changes } from '@fairlane/queue';

/** `reset`: what happened in between is not known any more. */
export type EventData = Changes & { readonly reset?: boolean };

/** How long a browser waits before it connects again, ms. */
const RETRY_MS = 2_000;

/**
 * The text of one stream, made when the connection takes it: what a slow client has not taken yet is merged into one
 * event of a bounded size, so that it costs no memory and is told the latest when it reads again.
 */
export class EventStream implements AsyncIterableIterator<string> {
  readonly #onEnd: () => void;
  #waiting: ((result: IteratorResult<string>) => void) | undefined;
  #pending: EventData | undefined;
  #place = 0;
  #opening: string | undefined = `retry: ${RETRY_MS}\n\n`;
  #isBeating = false;
  #ended = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @param place that a client resumes from once it has seen this. */
  push(data: EventData, place: number): void {
    const reset = data.reset === true || this.#pending?.reset === true;
    const merged = this.#pending === undefined ? data : mergeChanges(this.#pending, data);
    this.#pending = reset ? { ...merged, reset } : merged;
    this.#place = Math.max(this.#place, place);
    this.#wake();
  }

  /** A comment that keeps the connection from being taken for dead. */
  beat(): void {
    this.#isBeating = true;
    this.#wake();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    this.#waiting?.({ done: true, value: undefined });
    this.#waiting = undefined;
  }

  next(): Promise<IteratorResult<string>> {
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    const value = this.#take();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** The connection is gone. */
  return(): Promise<IteratorResult<string>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  #wake(): void {
    if (this.#waiting === undefined) return;
    const value = this.#take();
    if (value === undefined) return;
    const resolve = this.#waiting;
    this.#waiting = undefined;
    resolve({ done: false, value });
  }

  #take(): string | undefined {
    const opening = this.#opening;
    if (opening !== undefined) {
      this.#opening = undefined;
      return opening;
    }
    const data = this.#pending;
    if (data !== undefined) {
      this.#pending = undefined;
      this.#isBeating = false;
      return `id: ${this.#place}\ndata: ${JSON.stringify(data)}\n\n`;
    }
    if (!this.#isBeating) return undefined;
    this.#isBeating = false;
    return ':\n\n';
  }
}
