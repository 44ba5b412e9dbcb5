export type ConnectionState = 'connecting' | 'live' | 'stale' | 'signed-out';

export interface ConnectionView {
  state: ConnectionState;
  /** When the API last answered; milliseconds since 1970. */
  answeredAt: number | undefined;
}

/** Whether what is on the screen can be believed. Told by every request and by the stream of events. */
class Connection {
  #view: ConnectionView = { state: 'connecting', answeredAt: undefined };
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly view = (): ConnectionView => this.#view;

  answered(): void {
    // A late answer does not undo that the log-in is over.
    if (this.#view.state !== 'signed-out') this.#set({ state: 'live', answeredAt: Date.now() });
  }

  failed(): void {
    if (this.#view.state !== 'signed-out') this.#set({ ...this.#view, state: 'stale' });
  }

  signedOut(): void {
    this.#set({ ...this.#view, state: 'signed-out' });
  }

  #set(view: ConnectionView): void {
    this.#view = view;
    for (const listener of this.#listeners) listener();
  }
}

export const connection = new Connection();
