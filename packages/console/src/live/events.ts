import type { QueryClient } from '@tanstack/react-query';
import { apiUrl } from '../api/client.js';
import { connection } from './connection.js';
import { takeStreamPlace } from './stream-place.js';

/** Whether what is on the screen may be anything, or what events tell of has changed. */
type Scope = 'all' | 'told';

/** Bursts of events become one reading a second. */
const REFRESH_EVERY_MS = 1_000;
const RETRY_MS = 3_000;

/** How soon a tab without a place for a stream asks for one again; it polls meanwhile. */
const PLACE_RETRY_MS = 5_000;

/**
 * The one stream of a tab, as far as the browser has a place for it. An event tells that something changed; what
 * changed is read again, so a lost event costs a few seconds and never the truth. Closed while the tab is hidden.
 */
class Events {
  #source: EventSource | undefined;
  #leavePlace: (() => void) | undefined;
  #isOpening = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #pending: ReturnType<typeof setTimeout> | undefined;
  #scope: Scope = 'told';
  #client: QueryClient | undefined;

  isOpen(): boolean {
    return this.#source?.readyState === EventSource.OPEN;
  }

  start(client: QueryClient): void {
    this.#client = client;
    document.addEventListener('visibilitychange', () => this.#followVisibility());
    this.#followVisibility();
  }

  #followVisibility(): void {
    if (document.hidden) this.#close();
    else {
      this.#refresh();
      void this.#open();
    }
  }

  async #open(): Promise<void> {
    if (this.#source !== undefined || this.#isOpening) return;
    this.#isOpening = true;
    const leavePlace = await takeStreamPlace();
    this.#isOpening = false;
    if (leavePlace === undefined) this.#openLater(PLACE_RETRY_MS);
    else if (document.hidden) leavePlace();
    else this.#connect(leavePlace);
  }

  #openLater(afterMs: number): void {
    clearTimeout(this.#retry);
    if (!document.hidden) this.#retry = setTimeout(() => void this.#open(), afterMs);
  }

  #connect(leavePlace: () => void): void {
    this.#leavePlace = leavePlace;
    const source = new EventSource(apiUrl('v1/events'));
    this.#source = source;
    // Whatever happened while there was no stream is read now.
    source.addEventListener('open', () => {
      connection.answered();
      this.#refresh();
    });
    source.addEventListener('message', () => this.#refresh('told'));
    source.addEventListener('error', () => this.#reopen());
  }

  /** The browser's own retry gives up on an error answer, so it is done here for every kind of end. */
  #reopen(): void {
    this.#close();
    // Tells at once whether the API is gone or only this stream has ended.
    this.#refresh();
    if (connection.view().state !== 'signed-out') this.#openLater(RETRY_MS);
  }

  #close(): void {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = undefined;
    this.#leavePlace?.();
    this.#leavePlace = undefined;
  }

  #refresh(scope: Scope = 'all'): void {
    if (scope === 'all') this.#scope = 'all';
    if (this.#pending !== undefined) return;
    this.#pending = setTimeout(
      () => {
        const isTold = this.#scope === 'told';
        this.#pending = undefined;
        this.#scope = 'told';
        void this.#client?.invalidateQueries({
          predicate: ({ meta }) => !(isTold && meta?.['isPaced'] === true),
        });
      },
      this.isOpen() ? REFRESH_EVERY_MS : 0,
    );
  }
}

export const events = new Events();
