import type { z } from 'zod';
import { variables, type QueueSlots } from '@fairlane/runtime';
import type { Catalogue } from '@fairlane/sdk';

/** `WORKER_QUEUES` against the queues that exist; left out, all of them with the slots they declare. */
export function queueSlots(catalogue: Catalogue): z.ZodType<QueueSlots[], string | undefined> {
  const declared = Object.entries(catalogue.queues.definitions).map(([name, { slots }]) => ({
    name,
    ...slots,
  }));
  const names = new Set(declared.map(({ name }) => name));
  return variables.WORKER_QUEUES.transform((asked) => asked ?? declared).check((context) => {
    const unknown = context.value.filter(({ name }) => !names.has(name)).map(({ name }) => name);
    if (unknown.length === 0) return;
    const message = `names no queue: ${unknown.join(', ')}; there are ${[...names].join(', ')}`;
    context.issues.push({ code: 'custom', input: context.value, message });
  });
}
