import type { Socket } from 'node:net';

/** A caller may act upon an answer this much later; what it was told before that it has long noted down. */
const WINDOW_MS = 60_000;
/** Of one connection: far more than a caller has under way. */
const MAX_ANSWERS = 256;

interface Answered {
  body: unknown;
  at: number;
}

/**
 * Remembers which answers went out on which connection. A caller that is killed takes what it had just been
 * told with it, and all that can be seen of that from here is its connection closing soon afterwards.
 */
export class Callers {
  readonly #answers = new WeakMap<Socket, Answered[]>();
  readonly #onHungUp: (body: unknown) => void;

  /** @param onHungUp told the body of each request whose caller went away within the window after its answer. */
  constructor(onHungUp: (body: unknown) => void) {
    this.#onHungUp = onHungUp;
  }

  answered(socket: Socket, body: unknown): void {
    if (socket.destroyed) {
      this.#onHungUp(body);
      return;
    }
    const answers = this.#answersOn(socket);
    answers.push({ body, at: performance.now() });
    if (answers.length > MAX_ANSWERS) answers.shift();
  }

  #answersOn(socket: Socket): Answered[] {
    const known = this.#answers.get(socket);
    if (known !== undefined) return known;
    const answers: Answered[] = [];
    this.#answers.set(socket, answers);
    socket.once('close', () => {
      const since = performance.now() - WINDOW_MS;
      for (const { body, at } of answers) if (at >= since) this.#onHungUp(body);
    });
    return answers;
  }
}
