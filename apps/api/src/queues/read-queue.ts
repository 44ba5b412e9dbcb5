import type { Lanes } from '@fairlane/lanes';
import type { z } from 'zod';
import type { AppContext } from '../context.js';
import { Problem } from '../http/problems.js';
import type { queueView } from './schemas.js';

/** What is known of one declared queue. */
export async function readQueue(
  { catalogue, producer, lanes }: AppContext,
  name: string,
): Promise<z.output<typeof queueView>> {
  const definitions: Readonly<Record<string, { slots: { min: number; max: number } }>> =
    catalogue.queues.definitions;
  const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (!definition) throw new Problem('unknown_queue');
  const [counts, { paused }] = await Promise.all([producer.queueCounts(name), lanes.queueCounts(name)]);
  const oldestEligibleAgeMs = counts.ready === 0 ? null : await readOldestAge(lanes, name);
  return { queue: name, counts, paused, oldestEligibleAgeMs, slots: definition.slots };
}

/** Lanes wait in one order, held or not: the longest waiting open one is near the front unless many are held. */
async function readOldestAge(lanes: Lanes, queue: string): Promise<number | null> {
  for (const count of [20, 1_000]) {
    const open = (await lanes.oldestLanes(queue, count)).find((lane) => !lane.held);
    if (open) return Math.max(0, Date.now() - open.since);
  }
  return null;
}
