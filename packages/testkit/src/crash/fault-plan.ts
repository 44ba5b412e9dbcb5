import { seededRandom } from '../random.js';

export const FAULT_KINDS = ['kill', 'restart', 'cut', 'stop', 'readOnly', 'full'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface PlannedFault {
  /** Share of the work that is done when it strikes, in (0, 1). */
  readonly at: number;
  readonly kind: FaultKind;
  /** In [0, 1), for what the fault has to choose: a worker, a connection, a time. */
  readonly pick: number;
}

/**
 * Spreads faults over a run, each kind evenly, with some play so that they also meet each other. The same for the
 * same seed.
 */
export function planFaults(
  counts: Readonly<Partial<Record<FaultKind, number>>>,
  seed: number,
): PlannedFault[] {
  const random = seededRandom(seed);
  const plan = FAULT_KINDS.flatMap((kind) => {
    const count = counts[kind] ?? 0;
    return Array.from({ length: count }, (_, nth) => ({
      at: (nth + 0.25 + random() / 2) / count,
      kind,
      pick: random(),
    }));
  });
  return plan.toSorted((a, b) => a.at - b.at);
}
