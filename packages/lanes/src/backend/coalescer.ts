import { unpackReplies } from './packed-replies.js';

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
  /** In this turn. */
  private handedOut = false;

  constructor(
    private readonly numberOfKeys: number,
    private readonly run: RunCommand,
    private readonly single: string,
    private readonly batch: string,
    /** Most runs of a call. */
    private readonly most = MAX_BATCH,
  ) {}

  send(args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.pending[0] && this.pending[0].args.length !== args.length) {
        this.flush();
      }
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

  /**
   * Replies of two calls that come together are handed out in two turns. Otherwise their jobs would end together, the
   * next two calls would reach Redis together, and be answered together: each would wait while the other one works.
   */
  private handOut(pending: readonly Pending[], packed: Buffer): void {
    if (this.handedOut) {
      setImmediate(() => this.handOut(pending, packed));
      return;
    }
    this.handedOut = true;
    setImmediate(() => {
      this.handedOut = false;
    });
    try {
      settle(pending, unpackReplies(packed, pending.length));
    } catch (error) {
      pending.forEach(({ reject }) => reject(error));
    }
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
    const { keys, args } = shared(
      pending.map((each) => each.args),
      this.numberOfKeys - 1,
    );
    // As bytes: a reply of packed values is decoded in a fifth of the time that Redis' own form takes.
    this.run(`${this.batch}Buffer`, [keys.length, ...keys, ...args]).then(
      (packed) => this.handOut(pending, packed as Buffer),
      (error: unknown) => pending.forEach(({ reject }) => reject(error)),
    );
  }
}

/**
 * The keys and arguments of a call of several runs. What they have in common is sent once: the first run whole, of the
 * others the values in which any differs from it. `commands/batch.lua` puts them together again.
 *
 * @param runs of each its keys, the stem of the queue's keys, its arguments, the key prefix and the time.
 * @param stem the place of the stem.
 */
function shared(runs: readonly (readonly unknown[])[], stem: number): { keys: unknown[]; args: unknown[] } {
  const [first = [], ...others] = runs;
  const end = first.length - 2;
  const differs = (at: number): boolean => others.some((run) => run[at] !== first[at]);
  const ownKeys = range(0, stem).filter(differs);
  const ownArgs = range(stem + 1, end).filter(differs);
  const keys = first.slice(0, stem);
  const args: unknown[] = [
    runs.length,
    ownKeys.length,
    ...ownKeys.map((at) => at + 1),
    ownArgs.length,
    ...ownArgs.map((at) => at - stem),
    end - stem - 1,
    ...first.slice(stem + 1, end),
  ];
  for (const run of others) {
    for (const at of ownKeys) keys.push(run[at]);
    for (const at of ownArgs) args.push(run[at]);
  }
  keys.push(first[stem]);
  args.push(...first.slice(end));
  return { keys, args };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_none, at) => from + at);
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
