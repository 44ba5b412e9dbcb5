import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { LaneError } from '../errors.js';
import { laneKeys } from './keys.js';

/**
 * A plain worker on a queue of lanes would run its delayed and prioritized jobs past every gate.
 * BullMQ names the blocking connections of workers after their queue; those of ours are also
 * listed in a set, so what has the name and is not in the set is a plain one.
 */
const SETTLING_SECONDS = 5;
/** Between two looks at a connection that has not settled yet. */
const LOOK_EVERY_MS = 200;
/** How long the server may list a connection that its worker has closed. */
const CLOSING_MS = 1_000;

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
  const found = new Map<string, string[]>();
  for (const [queue, { others }] of await readFleets(client, prefix, [...queues])) {
    // One that has only just connected may still join.
    const plain = others.filter(({ ageSeconds }) => ageSeconds >= SETTLING_SECONDS);
    if (plain.length > 0) {
      found.set(
        queue,
        plain.map((each) => each.name),
      );
    }
  }
  return found;
}

/**
 * Names of the plain workers of a queue, those that have only just connected among them: these are waited for until
 * they have joined the lanes, have gone or count, which takes {@link SETTLING_SECONDS} at most.
 */
export async function settledPlainWorkers(client: Redis, prefix: string, queue: string): Promise<string[]> {
  const { others } = await lookUntil(
    async () => readFleet(client, prefix, queue),
    (fleet) => fleet.others.every(({ ageSeconds }) => ageSeconds >= SETTLING_SECONDS),
    // Others may go on connecting for ever: then they count.
    2_000 * SETTLING_SECONDS,
  );
  return others.map(({ name }) => name);
}

/** Names of the workers with lanes of a queue; one that has just been closed may be listed for a moment yet. */
export async function laneWorkers(client: Redis, prefix: string, queue: string): Promise<string[]> {
  const { ours } = await lookUntil(
    async () => readFleet(client, prefix, queue),
    (fleet) => fleet.ours.length === 0,
    CLOSING_MS,
  );
  return ours.map(({ name }) => name);
}

/** Looks again and again until it sees what it waits for, or patience has run out: what it saw last. */
async function lookUntil<T>(
  look: () => Promise<T>,
  isSeen: (seen: T) => boolean,
  patienceMs: number,
): Promise<T> {
  for (let looks = 0; ; looks += 1) {
    const seen = await look();
    if (isSeen(seen) || looks * LOOK_EVERY_MS > patienceMs) {
      return seen;
    }
    await setTimeout(LOOK_EVERY_MS);
  }
}

async function readFleet(client: Redis, prefix: string, queue: string): Promise<Fleet> {
  return (await readFleets(client, prefix, [queue])).get(queue)!;
}

interface Fleet {
  /** Workers with lanes. */
  readonly ours: readonly Client[];
  /** Plain ones, and those that have not joined yet. */
  readonly others: readonly Client[];
}

async function readFleets(
  client: Redis,
  prefix: string,
  queues: readonly string[],
): Promise<Map<string, Fleet>> {
  const members = await Promise.all(
    queues.map(async (name) => client.smembers(laneKeys(prefix).workers(name))),
  );
  const clients = parseClients(String(await client.client('LIST', 'TYPE', 'NORMAL')));
  const fleets = new Map<string, Fleet>();
  for (const [at, queue] of queues.entries()) {
    await removeGone(client, laneKeys(prefix).workers(queue), members[at]!, clients);
    const ids = new Set(members[at]);
    const workers = clients.filter(({ name }) => isWorkerOf(name, prefix, queue));
    fleets.set(queue, {
      ours: workers.filter(({ id }) => ids.has(id)),
      others: workers.filter(({ id }) => !ids.has(id)),
    });
  }
  return fleets;
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
