import type { Lease } from './lease.js';
import type { StopCause } from './settlement.js';

/** Ends an attempt from outside its handler, and remembers why. */
export class StopSignal {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #unlink: () => void;
  #cause: StopCause | undefined;

  constructor({
    timeoutMs,
    lease,
    shutdown,
  }: {
    readonly timeoutMs: number;
    readonly lease: Lease;
    readonly shutdown: AbortSignal;
  }) {
    this.#timer = setTimeout(() => {
      // Named as the platform's own time-outs are, so that handlers and `classifyError` read it alike.
      this.#stop('timeout', new DOMException(`the attempt took longer than ${timeoutMs} ms`, 'TimeoutError'));
    }, timeoutMs);
    const onShutdown = () => this.#stop('shutdown', abortError('the worker is shutting down'));
    lease.whenLost(() => this.#stop('lease_lost', abortError('the lease on the job is lost')));
    shutdown.addEventListener('abort', onShutdown);
    this.#unlink = () => shutdown.removeEventListener('abort', onShutdown);
    if (shutdown.aborted) onShutdown();
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
    this.#unlink();
  }

  #stop(cause: StopCause, reason: unknown): void {
    this.#cause ??= cause;
    this.#controller.abort(reason);
  }
}

function abortError(message: string): DOMException {
  return new DOMException(message, 'AbortError');
}
