import type { Socket } from 'node:net';
import { Client, type Pool, type PoolClient } from 'pg';

/**
 * Connections of the pool that bring nothing for so long while somebody uses them are given up, and others are made. A
 * firewall that forgot one, or a server that vanished, would be noticed after a quarter of an hour, and each call that
 * waits for it would keep a place of the pool. `query_timeout` does not do it: it gives the call up and puts the
 * connection back, where the next call waits behind the answer that never comes.
 *
 * A server that is there and works for longer, as behind a lock, is asked to stop: else it would carry out later what
 * nobody waits for, and sessions that wait would pile up there.
 */
export function watchSilence(pool: Pool, silenceMs: number): void {
  pool.on('connect', (client) => {
    const socket = socketOf(client);
    socket.on('timeout', () => {
      cancelQuery(client, silenceMs);
      socket.destroy(new Error(`Postgres was silent for ${silenceMs} ms`));
    });
  });
  pool.on('acquire', (client) => socketOf(client).setTimeout(silenceMs));
  pool.on('release', (_error, client) => socketOf(client).setTimeout(0));
}

/** What pg has and names in no type. */
interface Internals {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: { readonly stream: Socket; on(event: 'error', listener: () => void): void };
  /** Over a connection of its own, as the protocol wants it; unencrypted, which servers take without a log-in. */
  cancel(session: Session, query: unknown): void;
}

/** All that pg reads of the client whose query is cancelled. */
interface Session extends Pick<Internals, 'processID' | 'secretKey'> {
  readonly activeQuery: unknown;
}

function cancelQuery(client: PoolClient, timeoutMs: number): void {
  const stuck = internalsOf(client);
  const canceller = internalsOf(new Client({ host: stuck.host, port: stuck.port, ssl: false }));
  // Where the server cannot be reached there is nothing to stop.
  canceller.connection.on('error', () => undefined);
  const query = {};
  // Not the client itself: pg warns of its own `activeQuery`.
  canceller.cancel({ activeQuery: query, processID: stuck.processID, secretKey: stuck.secretKey }, query);
  const { stream } = canceller.connection;
  stream.setTimeout(timeoutMs, () => stream.destroy());
}

/** The one in use, encrypted or not. */
function socketOf(client: PoolClient): Socket {
  return internalsOf(client).connection.stream;
}

function internalsOf(client: Client | PoolClient): Internals {
  return client as unknown as Internals;
}
