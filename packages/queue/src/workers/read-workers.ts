import type { Redis } from 'ioredis';
import { pairsOf } from '../redis/replies.js';
import { readTime } from '../redis/server-clock.js';
import { registryKeys, type Beat } from './beat.js';
import { toWorkerView, type WorkerStatus, type WorkerView } from './worker-view.js';

/** Those that need somebody first. */
const ORDER: readonly WorkerStatus[] = ['lost', 'hung', 'draining', 'busy', 'idle'];

/** The workers that have beaten within the last hour and did not leave in good order; lost and hung ones first. */
export async function readWorkers(client: Redis, prefix: string): Promise<WorkerView[]> {
  const [beats, said] = registryKeys(prefix);
  const [times, described, time] = await Promise.all([
    client.zrange(beats, 0, '-1', 'WITHSCORES'),
    client.hgetall(said),
    client.time(),
  ]);
  const nowMs = Math.floor(readTime(time));
  const lastBeats = new Map(pairsOf(times).map(([id, atMs]) => [id, Number(atMs)]));
  const known = Object.entries(described).flatMap(([id, text]) => {
    const beat = readBeat(text);
    const lastBeatMs = lastBeats.get(id);
    return beat === undefined || lastBeatMs === undefined ? [] : [{ id, beat, lastBeatMs }];
  });
  const ages = await connectionAges(
    client,
    known.map(({ beat }) => beat.connection),
  );
  const isConnected = (connection: string, lastBeatMs: number): boolean => {
    const ageSeconds = ages.get(connection);
    // Redis counts ids from 1 again when it restarts: one that is younger than the beat is another's.
    return ageSeconds !== undefined && nowMs - (ageSeconds + 1) * 1_000 <= lastBeatMs;
  };
  return known
    .map(({ id, beat, lastBeatMs }) =>
      toWorkerView(id, beat, { lastBeatMs, nowMs, isConnected: isConnected(beat.connection, lastBeatMs) }),
    )
    .toSorted(
      (one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status) || (one.id < other.id ? -1 : 1),
    );
}

/** When a worker last served each queue, ms on the server's clock. Queues never served are left out. */
export async function readServedAt(client: Redis, prefix: string): Promise<ReadonlyMap<string, number>> {
  const [, , served] = registryKeys(prefix);
  const times = Object.entries(await client.hgetall(served));
  return new Map(times.map(([queue, at]) => [queue, Number(at)]));
}

/** What a newer version has written may lack a field. */
function readBeat(text: string): Beat | undefined {
  const beat = JSON.parse(text) as Partial<Beat>;
  return Array.isArray(beat.queues) && Array.isArray(beat.jobs) && beat.handles !== undefined
    ? (beat as Beat)
    : undefined;
}

/** Whole seconds for which each of these connections has been open; those that are closed are left out. */
async function connectionAges(client: Redis, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const list = String(await client.client('LIST', 'ID', ...ids.map(Number)));
  const clients = list.matchAll(/(?:^|\n)id=(\d+) (?:.*? )?age=(\d+) /g);
  return new Map([...clients].map(([, id, age]) => [String(id), Number(age)]));
}
