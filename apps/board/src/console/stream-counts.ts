/** Open tabs of one log-in. More are a script or a fault, and each holds connections of two processes. */
const MAX_STREAMS_PER_SESSION = 30;

/** Counts the event streams that each session holds open. */
export class StreamCounts {
  readonly #open = new Map<string, number>();

  /** False: the session holds as many as it may. */
  take(session: string): boolean {
    const open = this.#open.get(session) ?? 0;
    if (open >= MAX_STREAMS_PER_SESSION) return false;
    this.#open.set(session, open + 1);
    return true;
  }

  giveBack(session: string): void {
    const open = this.#open.get(session) ?? 0;
    if (open > 1) this.#open.set(session, open - 1);
    else this.#open.delete(session);
  }
}
