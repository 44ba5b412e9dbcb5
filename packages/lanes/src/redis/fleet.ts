import type { Redis } from 'ioredis';
import { LaneError } from '../errors.js';
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

/**
 * Names of the plain workers of each of these queues that has some. Members are read before clients are
 * listed: one that is missing from the list has gone, while one that joins in between is in the list.
 */
export async function plainWorkers(
  client: Redis,
  prefix: string,
  queues: Iterable<string>,
): Promise<Map<string, string[]>> {
  const names = [...queues];
  const fleets = await Promise.all(
    names.map(async (name) => client.smembers(laneKeys(prefix).workers(name))),
  );
  const clients = parseClients(String(await client.client('LIST', 'TYPE', 'NORMAL')));
  const found = new Map<string, string[]>();
  for (const [at, queue] of names.entries()) {
    const members = fleets[at]!;
    await removeGone(client, laneKeys(prefix).workers(queue), members, clients);
    const ours = new Set(members);
    // One that has only just connected may still join.
    const plain = clients.filter(
      ({ id, name, ageSeconds }) =>
        isWorkerOf(name, prefix, queue) && !ours.has(id) && ageSeconds >= SETTLING_SECONDS,
    );
    if (plain.length > 0) {
      found.set(
        queue,
        plain.map((each) => each.name),
      );
    }
  }
  return found;
}

async function removeGone(
  client: Redis,
  key: string,
  members: readonly string[],
  clients: readonly Client[],
): Promise<void> {
  const connected = new Set(clients.map(({ id }) => id));
  // Ids grow, from 1 again after a restart of the server: above the newest one listed they may belong to one
  // that has connected since.
  const newest = Math.max(0, ...clients.map(({ id }) => Number(id)));
  const gone = members.filter((id) => !connected.has(id) && Number(id) < newest);
  if (gone.length > 0) {
    await client.srem(key, ...gone);
  }
}

export function mixedFleet(queue: string, plain: readonly string[]): LaneError {
  return new LaneError(
    'mixed_fleet',
    `${plain.length} plain BullMQ workers serve the queue ${queue} (${plain.join(', ')}). They run jobs past the lanes, so workers with lanes take none of this queue while they are connected. Stop the plain workers (work then goes on by itself), or stop those with lanes and hand the queue back with releaseQueue.`,
  );
}
