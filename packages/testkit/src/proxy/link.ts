import type { Socket } from 'node:net';

export type Direction = 'toServer' | 'toClient';

/** What the proxy says about each chunk, asked when the chunk arrives. */
export interface Weather {
  delayMs(): number;
  swallows(direction: Direction, bytes: number): boolean;
  /** Whether anything waits for a marker. */
  isWatched(): boolean;
  /** Whether the connection stops before `text`, the chunk with what came just before it. */
  stopsBefore(direction: Direction, text: string): boolean;
}

/** A marker may come in two chunks: so much of the earlier ones is looked at again. */
const TAIL_BYTES = 1_024;

/** One connection through the proxy. */
export class Link {
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #weather: Weather;
  readonly #gaps = new Set<Direction>();
  /** What arrived since the connection stopped, to be passed on in this order. */
  readonly #held: (() => void)[] = [];
  /** Chunks on their way, in order: a shorter delay must not overtake a longer one. */
  readonly #onTheWay = { toServer: Promise.resolve(), toClient: Promise.resolve() };
  #isStopped = false;
  #isSilent = false;

  constructor(client: Socket, upstream: Socket, weather: Weather) {
    this.#client = client;
    this.#upstream = upstream;
    this.#weather = weather;
    this.#carry('toServer', client, upstream);
    this.#carry('toClient', upstream, client);
    // A reset of one side is passed on as one.
    client.on('error', () => {
      if (!this.#isSilent) this.cut();
    });
    upstream.on('error', () => {
      if (!this.#isStopped && !this.#isSilent) this.cut();
    });
  }

  onClosed(listener: () => void): void {
    this.#client.once('close', listener);
  }

  hasGap(direction: Direction): boolean {
    return this.#gaps.has(direction);
  }

  /** Resets both sides. */
  cut(): void {
    this.#client.resetAndDestroy();
    this.#upstream.resetAndDestroy();
  }

  /** Carries nothing from now on, not even the end of one side to the other: a connection that is half-open. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Passes on what was held back since the connection stopped; resolves when all of it is written. */
  async release(): Promise<void> {
    this.#isStopped = false;
    for (const passOn of this.#held.splice(0)) passOn();
    await Promise.all(Object.values(this.#onTheWay));
  }

  #carry(direction: Direction, from: Socket, to: Socket): void {
    let tail = '';
    const passOn = (chunk: Buffer) => {
      // One that waits for a slow reader holds back what follows, and no more is read meanwhile.
      from.pause();
      const arrivesAt = performance.now() + this.#weather.delayMs();
      this.#onTheWay[direction] = this.#onTheWay[direction]
        .then(async () => until(arrivesAt))
        .then(async () => deliver(to, chunk))
        .then(() => void from.resume());
    };
    const passOnEnd = () => void this.#onTheWay[direction].then(() => to.end());
    from.on('data', (chunk: Buffer) => {
      if (this.#isSilent) return;
      if (!this.#isStopped && this.#weather.isWatched()) {
        const text = tail + chunk.toString('latin1');
        tail = text.slice(-TAIL_BYTES);
        this.#isStopped = this.#weather.stopsBefore(direction, text);
      }
      if (this.#isStopped) this.#held.push(() => passOn(chunk));
      else if (this.#weather.swallows(direction, chunk.length)) this.#gaps.add(direction);
      else passOn(chunk);
    });
    from.on('end', () => {
      if (this.#isSilent) from.end();
      else if (!this.#isStopped) passOnEnd();
      // To the client a stopped connection looks open whatever the server does; a client that is gone is gone.
      else if (direction === 'toServer') this.cut();
      else this.#held.push(passOnEnd);
    });
  }
}

async function until(arrivesAt: number): Promise<void> {
  const waitMs = arrivesAt - performance.now();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}

async function deliver(to: Socket, chunk: Buffer): Promise<void> {
  if (to.destroyed || to.write(chunk)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      to.off('drain', done);
      to.off('close', done);
      resolve();
    };
    to.on('drain', done);
    to.on('close', done);
  });
}
