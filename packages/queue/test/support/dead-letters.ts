import type { RedisInTests } from '@fairlane/testkit/vitest';

/** A dead letter as it is stored: id, ms of its end, its `flErrors`. */
export type StoredLetter = readonly [id: string, diedAtMs: number, errors: string];

/** Writes dead letters as a worker leaves them, without the work of a run each. */
export async function writeDead(
  { client, prefix }: RedisInTests,
  queue: string,
  letters: readonly StoredLetter[],
): Promise<void> {
  const base = `${prefix}:${queue}:`;
  const pipeline = client.pipeline();
  for (const [id, diedAtMs, flErrors] of letters) {
    pipeline.hset(base + id, { name: 'parcel.send', finishedOn: diedAtMs, flErrors });
    pipeline.zadd(`${base}failed`, diedAtMs, id);
  }
  await pipeline.exec();
}

export function errorsOf(code: string, message = 'why'): string {
  return JSON.stringify([{ code, class: 'permanent', message, at: new Date(0).toISOString(), attempt: 1 }]);
}
