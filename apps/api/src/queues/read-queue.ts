import type { z } from 'zod';
import type { AppContext } from '../context.js';
import { Problem } from '../http/problems.js';
import type { queueView } from './schemas.js';

type Slots = { readonly min: number; readonly max: number };

/** Waiting lanes looked at for an answer: four short calls. Beyond that the last look at all of them tells more. */
const LOOKED_AT = 1_000;

/** @throws Problem `unknown_queue` */
export function slotsOf({ catalogue }: AppContext, name: string): Slots {
  const definitions: Readonly<Record<string, { slots: Slots }>> = catalogue.queues.definitions;
  const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (!definition) throw new Problem('unknown_queue');
  return definition.slots;
}

/** What is known of one declared queue. */
export async function readQueue(app: AppContext, name: string): Promise<z.output<typeof queueView>> {
  const { min, max } = slotsOf(app, name);
  const { producer, lanes, statistics } = app;
  const [counts, { paused }, figures] = await Promise.all([
    producer.queueCounts(name),
    lanes.queueCounts(name),
    statistics.figures(name),
  ]);
  return {
    queue: name,
    counts,
    paused,
    oldestEligibleAgeMs: counts.ready === 0 ? null : await readOldestAge(app, name, figures.nowMs),
    slots: { min, max },
    lastMinute: figures.minute,
    lastHour: figures.hour,
  };
}

async function readOldestAge(
  { lanes, statistics }: AppContext,
  name: string,
  nowMs: number,
): Promise<number | null> {
  const { openSince, isWhole } = await lanes.survey(name, LOOKED_AT);
  const ageMs = openSince === null ? null : Math.max(0, Math.floor(nowMs) - openSince);
  if (isWhole) return ageMs;
  const looked = (await statistics.states()).get(name)?.oldestEligibleAgeMs ?? null;
  return ageMs === null ? looked : Math.max(ageMs, looked ?? 0);
}
