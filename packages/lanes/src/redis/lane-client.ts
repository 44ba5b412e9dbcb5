import type { Redis } from 'ioredis';
import { defineOwnCommands, openClient, runOwn, type LaneConnection, type OwnCommand } from './connection.js';
import { laneKeys, type LaneKeys } from './keys.js';

/** Where the lanes are that `createLanes` gives access to. */
export interface LanesOptions {
  /** A client (left open by `close`), its options or a URL. */
  connection: LaneConnection;
  /** The BullMQ prefix whose lanes are meant. Default: `bull`. */
  prefix?: string;
  /** For tests: the time in ms that scripts decide by, instead of the Redis server's clock. */
  clock?: () => number;
}

/** Commands of our own over one connection, for the lanes of one prefix. */
export class LaneClient {
  protected readonly client: Redis;
  private readonly owned: boolean;
  protected readonly prefix: string;
  protected readonly keys: LaneKeys;
  private readonly clock: (() => number) | undefined;

  constructor(options: LanesOptions) {
    this.prefix = options.prefix ?? 'bull';
    this.keys = laneKeys(this.prefix);
    this.clock = options.clock;
    const { client, owned } = openClient(options.connection);
    this.client = client;
    this.owned = owned;
    defineOwnCommands(client);
  }

  /** Runs a command of our own; `queue` '-' stands for none in particular. */
  protected run(
    command: OwnCommand,
    queue: string,
    keys: string[],
    args: (string | number)[],
  ): Promise<unknown> {
    const time = this.clock ? String(this.clock()) : '';
    return runOwn(this.client, command, this.keys.base(queue), keys, args, time);
  }

  /** The Redis server's time: that of this process may be wrong by hours. */
  protected async nowMs(): Promise<number> {
    if (this.clock) {
      return this.clock();
    }
    const [seconds = 0, micros = 0] = await this.client.time();
    return seconds * 1_000 + Math.floor(micros / 1_000);
  }

  /** Ends the connection, unless it was handed in as a client. */
  async close(): Promise<void> {
    if (this.owned) {
      await this.client.quit();
    }
  }
}
