import type { Lease } from './lease.js';
import type { StopCause } from './settle.js';

export interface StopSignalOptions {
  readonly timeoutMs: number;
  readonly lease: Lease;
  readonly shutdown: AbortSignal;
  /** A person has cancelled the job. */
  readonly cancelled: AbortSignal;
}

/** Ends an attempt from outside its handler, and remembers why. */
export class StopSignal {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #unlink: (() => void)[] = [];
  #cause: StopCause | undefined;

  constructor({ timeoutMs, lease, shutdown, cancelled }: StopSignalOptions) {
    this.#timer = setTimeout(() => {
      // Named as the platform's own time-outs are, so that handlers and `classifyError` read it alike.
      this.#stop('timeout', new DOMException(`the attempt took longer than ${timeoutMs} ms`, 'TimeoutError'));
    }, timeoutMs);
    lease.whenLost(() => this.#stop('lease_lost', abortError('the lease on the job is lost')));
    this.#follow(shutdown, () => this.#stop('shutdown', abortError('the worker is shutting down')));
    this.#follow(cancelled, () => this.#stop('cancelled', abortError('the job was cancelled')));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get cause(): StopCause | undefined {
    return this.#cause;
  }

  /** Nothing stops a finished attempt. */
  end(): void {
    clearTimeout(this.#timer);
    for (const unlink of this.#unlink) unlink();
  }

  #follow(signal: AbortSignal, stop: () => void): void {
    signal.addEventListener('abort', stop);
    this.#unlink.push(() => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
  }

  #stop(cause: StopCause, reason: unknown): void {
    this.#cause ??= cause;
    this.#controller.abort(reason);
  }
}

function abortError(message: string): DOMException {
  return new DOMException(message, 'AbortError');
}
