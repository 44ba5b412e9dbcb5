interface Pending {
  args: readonly unknown[];
  resolve: (reply: unknown) => void;
  reject: (error: unknown) => void;
}

/** Runs a registered command with its arguments. */
export type RunCommand = (name: string, args: unknown[]) => Promise<unknown>;

/** So many runs share a call at most: Redis serves nobody else meanwhile, about two milliseconds. */
export const MAX_BATCH = 32;

/**
 * Most runs of a call of a worker with so many slots: half of them, so that Redis works on one half while the worker
 * works on the other. A call is answered as a whole, so with larger ones each waits for the other.
 */
export function mostOfSlots(slots: number): number {
  return Math.min(MAX_BATCH, Math.max(1, Math.ceil(slots / 2)));
}

/**
 * Sends runs of one script for one queue that are asked for in the same turn of the event loop as one call.
 *
 * A busy worker finishes several jobs in one turn, since their replies came in one packet, and a
 * busy producer adds several. One write and one reply instead of many saves about a tenth of the
 * process's time, and Redis builds the script once. A single run goes as it is.
 */
export class Coalescer {
  private pending: Pending[] = [];
  private scheduled = false;

  constructor(
    private readonly numberOfKeys: number,
    /** Places of the keys in which the runs differ. */
    private readonly ownKeys: readonly number[],
    private readonly run: RunCommand,
    private readonly single: string,
    private readonly batch: string,
    /** Most runs of a call. */
    private readonly most = MAX_BATCH,
  ) {}

  send(args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.pending.push({ args, resolve, reject });
      if (this.pending.length === this.most) {
        this.flush();
      } else if (!this.scheduled) {
        this.scheduled = true;
        setImmediate(() => {
          this.scheduled = false;
          this.flush();
        });
      }
    });
  }

  /** Sends what waits for the end of the turn. */
  flush(): void {
    const pending = this.pending;
    this.pending = [];
    const [first] = pending;
    if (!first) {
      return;
    }
    if (pending.length === 1) {
      this.run(this.single, [...first.args]).then(first.resolve, first.reject);
      return;
    }
    // What all runs have in common is sent once: most of the keys, and the last two arguments.
    const width = this.numberOfKeys - 1;
    const keys: unknown[] = first.args.slice(0, width);
    const args: unknown[] = [pending.length];
    for (const { args: all } of pending) {
      if (all !== first.args) {
        keys.push(...this.ownKeys.map((index) => all[index]));
      }
      args.push(all.length - width - 3, ...all.slice(width + 1, -2));
    }
    keys.push(first.args[width]);
    args.push(...first.args.slice(-2));
    this.run(this.batch, [keys.length, ...keys, ...args]).then(
      (replies) => settle(pending, replies as unknown[]),
      (error: unknown) => pending.forEach(({ reject }) => reject(error)),
    );
  }
}

function settle(pending: readonly Pending[], replies: readonly unknown[]): void {
  for (const [at, { resolve, reject }] of pending.entries()) {
    const reply = replies[at];
    if (reply instanceof Error) {
      reject(reply);
    } else {
      resolve(reply);
    }
  }
}

/** The coalescers of a backend: one for each script of a queue on each connection. */
export class Coalescers<Connection> {
  private readonly known = new Map<Connection, Map<string, Coalescer>>();

  /** @param start makes the coalescer of this script that sends on the connection. */
  of(connection: Connection, script: string, start: () => Coalescer): Coalescer {
    let byScript = this.known.get(connection);
    if (!byScript) {
      byScript = new Map();
      this.known.set(connection, byScript);
    }
    let coalescer = byScript.get(script);
    if (!coalescer) {
      coalescer = start();
      byScript.set(script, coalescer);
    }
    return coalescer;
  }

  /** Sends what waits for the end of the turn. */
  flush(): void {
    for (const byScript of this.known.values()) {
      for (const coalescer of byScript.values()) {
        coalescer.flush();
      }
    }
  }
}
