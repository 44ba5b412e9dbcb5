import type { QueueCounts } from '@fairlane/queue';
import type { z } from 'zod';
import type { AppContext } from '../context.js';
import { Problem } from '../http/problems.js';
import type { queueView } from './schemas.js';

/** What is known of one declared queue. */
export async function readQueue(
  { catalogue, producer }: AppContext,
  name: string,
): Promise<z.output<typeof queueView>> {
  const definitions: Readonly<Record<string, { slots: { min: number; max: number } }>> =
    catalogue.queues.definitions;
  const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (!definition) throw new Problem('unknown_queue');
  return { queue: name, counts: byState(await producer.queueCounts(name)), slots: definition.slots };
}

function byState(counts: QueueCounts): z.output<typeof queueView>['counts'] {
  return { ...counts, delayed: counts.scheduled + counts.retrying };
}
