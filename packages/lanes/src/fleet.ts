import type { Redis } from 'ioredis';
import { LaneError } from './errors.js';
import { laneKeys } from './keys.js';

/**
 * A plain worker on a queue of lanes would run its delayed and prioritized jobs past every gate.
 * BullMQ names the blocking connections of workers after their queue; those of ours are also
 * listed in a set, so what has the name and is not in the set is a plain one.
 */
const SETTLING_SECONDS = 5;

interface Client {
  id: string;
  name: string;
  ageSeconds: number;
}

function parseClients(list: string): Client[] {
  return list
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const field = (name: string): string => new RegExp(`(?:^| )${name}=(\\S*)`).exec(line)?.[1] ?? '';
      return { id: field('id'), name: field('name'), ageSeconds: Number(field('age')) };
    });
}

function isWorkerOf(name: string, prefix: string, queue: string): boolean {
  const stem = `${prefix}:${Buffer.from(queue).toString('base64')}`;
  return name === stem || name.startsWith(`${stem}:w:`);
}

/** Adds a worker's blocking connection to the fleet of a queue. */
export async function joinFleet(
  client: Redis,
  blocking: Redis,
  prefix: string,
  queue: string,
): Promise<void> {
  const id = String(await blocking.client('ID'));
  await client.sadd(laneKeys(prefix).workers(queue), id);
}

/** Names of the plain workers of a queue. One that has only just connected may still join. */
export async function plainWorkers(client: Redis, prefix: string, queue: string): Promise<string[]> {
  const key = laneKeys(prefix).workers(queue);
  const [list, members] = await Promise.all([client.client('LIST'), client.smembers(key)]);
  const clients = parseClients(String(list));
  const connected = new Set(clients.map((each) => each.id));
  const gone = members.filter((id) => !connected.has(id));
  if (gone.length > 0) {
    await client.srem(key, ...gone);
  }
  const ours = new Set(members);
  return clients
    .filter(
      (each) =>
        isWorkerOf(each.name, prefix, queue) && !ours.has(each.id) && each.ageSeconds >= SETTLING_SECONDS,
    )
    .map((each) => each.name);
}

export function mixedFleet(queue: string, plain: readonly string[]): LaneError {
  return new LaneError(
    'mixed_fleet',
    `${plain.length} plain BullMQ workers serve the queue ${queue} (${plain.join(', ')}); they would run jobs past the lanes. Stop them, or hand the queue back.`,
  );
}
