import type { RedisQueueBackend } from 'bullmq';
import type { Redis } from 'ioredis';
import { joinFleet, mixedFleet } from '../redis/fleet.js';
import { Lanes } from '../lanes.js';
import { insist, type Insistence } from './insist.js';
import type { ResolvedOptions } from './options.js';
import { Upkeep } from './upkeep.js';

export interface Post extends Insistence {
  readonly prefix: string;
  readonly queue: string;
  readonly client: Redis;
  /** The connection that the worker waits on, by which it is known. */
  readonly blockingConnection: NonNullable<ConstructorParameters<typeof RedisQueueBackend>[5]>;
  /** How long the worker keeps a job without a sign of life, ms. */
  readonly lockMs: number;
  readonly options: ResolvedOptions;
}

/** What a worker does besides its jobs: it joins its queue's fleet, and takes turns at the upkeep. */
export class WorkerDuties {
  /** Until a starting worker knows that no plain one serves its queue it asks for no job. */
  entry: Promise<void> | undefined;
  private readonly upkeep: Upkeep | undefined;

  constructor(private readonly post: Post) {
    const { client, prefix, queue, lockMs, options, onError } = post;
    const joined = this.join();
    const rejoin = (): void => void this.join();
    // After a reconnect the connection has another id.
    post.blockingConnection.on('ready', rejoin);
    if (options.upkeep) {
      const { clock, graceMs, retention, onTrim, onRepair } = options;
      this.upkeep = new Upkeep(client, {
        prefix,
        queue,
        clock,
        patienceMs: lockMs + graceMs,
        retention,
        onTrim,
        onRepair,
        onError,
        joinFleet: rejoin,
      });
      this.upkeep.start();
    }
    // On a machine that is slow it would take itself for a plain one before it has joined.
    this.entry = joined
      .then(async () => this.refuseMixedFleet())
      .catch(onError)
      .finally(() => {
        this.entry = undefined;
      });
  }

  private async join(): Promise<void> {
    const { client, blockingConnection, prefix, queue } = this.post;
    await insist(async () => {
      const blocking = (await blockingConnection.client) as unknown as Redis;
      await joinFleet(client, blocking, prefix, queue);
    }, this.post);
  }

  private async refuseMixedFleet(): Promise<void> {
    const { client, prefix, queue } = this.post;
    const lanes = new Lanes({ connection: client, prefix });
    const plain = (await lanes.watchFleet([queue])).get(queue);
    if (plain) {
      throw mixedFleet(queue, plain);
    }
  }

  async stop(): Promise<void> {
    await this.upkeep?.stop();
  }
}
