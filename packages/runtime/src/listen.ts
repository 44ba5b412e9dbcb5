import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { EnvironmentError } from './environment.js';

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Which variable chose the port, for whoever reads that it cannot be had. */
  readonly portVariable: string;
}

const PORT_TAKEN = 'is the port of something else already: stop that, or choose another port';
const WRONG: Readonly<Record<string, { readonly isPort: boolean; readonly message: string }>> = {
  EADDRINUSE: { isPort: true, message: PORT_TAKEN },
  EACCES: { isPort: true, message: 'is a port that this user may not listen on: choose one above 1023' },
  EADDRNOTAVAIL: { isPort: false, message: 'is no address of this machine' },
  ENOTFOUND: { isPort: false, message: 'is no address of this machine and no name of one' },
  EAI_AGAIN: { isPort: false, message: 'is a name that cannot be looked up now' },
};

/**
 * Resolves with the address once the server listens.
 *
 * @throws EnvironmentError that names the variable when the address cannot be had.
 */
export async function listen(
  server: Server,
  { host, port, portVariable }: ListenOptions,
): Promise<AddressInfo> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const wrong = WRONG[(error as NodeJS.ErrnoException).code ?? ''];
    if (wrong === undefined) throw error;
    throw new EnvironmentError([{ variable: wrong.isPort ? portVariable : 'HOST', message: wrong.message }]);
  }
  return server.address() as AddressInfo;
}
