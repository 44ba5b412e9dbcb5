import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

import { Link, type Direction } from './link.js';

export interface FaultProxyOptions {
  /** Where connections go. */
  readonly target: { readonly host?: string; readonly port: number };
}

/** A connection that stands still at a chosen point: nothing moves in either direction. */
export interface StoppedLink {
  cut(): void;
  /** Passes on what was held back, as a network that was slow. */
  release(): Promise<void>;
}

/**
 * Stands between a program and a server it speaks to over TCP, and lets the network misbehave on purpose.
 * Faults that last return the function that ends them.
 */
export interface FaultProxy {
  readonly port: number;
  /** Connections that are open now. */
  readonly linkCount: number;
  /** So far. */
  readonly swallowedBytes: number;
  /** Resets every connection, as a network device that restarts does; new ones are served. */
  cut(): number;
  /** Resets one connection; `pick` is in [0, 1). */
  cutOne(pick: number): number;
  /** Cuts, and refuses new connections. */
  refuse(): () => void;
  /**
   * What is sent in that direction vanishes while both sides believe the connection to be open. Afterwards
   * every connection that lost something is cut, since what follows a gap has no meaning.
   */
  swallow(direction: Direction): () => void;
  /**
   * Leaves the connections that are open now half-open, as a firewall that forgot them does: they carry nothing more,
   * neither side hears of the other's end, and new ones are served. Returns how many.
   */
  silence(): number;
  /** Every byte arrives that much later. */
  delay(ms: number): () => void;
  /**
   * Stops the first connection on which `marker` is seen in that direction, before the bytes that complete it
   * are passed on. Resolves once one is stopped.
   */
  stopAt(direction: Direction, marker: string): Promise<StoppedLink>;
  close(): Promise<void>;
}

/** Starts a proxy on a free port of the loopback. */
export async function startFaultProxy({ target }: FaultProxyOptions): Promise<FaultProxy> {
  const links = new Set<Link>();
  /** Half-open: the server's side stays when the client's goes. */
  const silent = new Set<Link>();
  const traps = new Set<Trap>();
  const swallowed = new Set<Direction>();
  let refusals = 0;
  let delayMs = 0;
  let swallowedBytes = 0;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (refusals > 0) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ host: '127.0.0.1', ...target, allowHalfOpen: true, noDelay: true });
    const link = new Link(client, upstream, {
      delayMs: () => delayMs,
      swallows(direction, bytes) {
        if (!swallowed.has(direction)) return false;
        swallowedBytes += bytes;
        return true;
      },
      isWatched: () => traps.size > 0,
      stopsBefore: (direction, text) => springTrap(traps, link, direction, text),
    });
    links.add(link);
    link.onClosed(() => links.delete(link));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    port,
    get linkCount() {
      return links.size;
    },
    get swallowedBytes() {
      return swallowedBytes;
    },
    cut: () => cutLinks(links),
    cutOne(pick) {
      const link = [...links][Math.floor(pick * links.size)];
      return cutLinks(link === undefined ? [] : [link]);
    },
    refuse() {
      refusals += 1;
      cutLinks(links);
      return onceOnly(() => (refusals -= 1));
    },
    swallow(direction) {
      swallowed.add(direction);
      return onceOnly(() => {
        swallowed.delete(direction);
        cutLinks([...links].filter((link) => link.hasGap(direction)));
      });
    },
    silence() {
      const open = [...links].filter((link) => !silent.has(link));
      for (const link of open) {
        link.silence();
        silent.add(link);
      }
      return open.length;
    },
    delay(ms) {
      delayMs += ms;
      return onceOnly(() => (delayMs -= ms));
    },
    stopAt: async (direction, marker) =>
      new Promise((resolve) => {
        traps.add({
          direction,
          marker,
          spring: (link) => resolve({ cut: () => link.cut(), release: () => link.release() }),
        });
      }),
    async close() {
      const closed = once(server, 'close');
      server.close();
      cutLinks([...links, ...silent]);
      await closed;
    },
  };
}

interface Trap {
  readonly direction: Direction;
  readonly marker: string;
  readonly spring: (link: Link) => void;
}

function springTrap(traps: Set<Trap>, link: Link, direction: Direction, text: string): boolean {
  for (const trap of traps) {
    if (trap.direction !== direction || !text.includes(trap.marker)) continue;
    traps.delete(trap);
    trap.spring(link);
    return true;
  }
  return false;
}

function cutLinks(links: Iterable<Link>): number {
  // Of a copy: a link that closes leaves the set.
  const cut = [...links];
  for (const link of cut) link.cut();
  return cut.length;
}

function onceOnly(end: () => void): () => void {
  let ended = false;
  return () => {
    if (!ended) end();
    ended = true;
  };
}
