/** What a queue asks of its workers. */
export interface QueueDemand {
  readonly queue: string;
  /** Jobs that could start now. Held work is none of it: more workers would not start it. */
  readonly eligible: number;
  readonly active: number;
  /** For how long the oldest of them could have started; null when there is none. */
  readonly oldestAgeMs: number | null;
  /** Jobs started a second over the last minute, and in the busiest of the last minutes. */
  readonly startedPerSecond: number;
  readonly peakPerSecond: number;
  /** How long a job occupies a slot. */
  readonly serviceMs: number;
  /** Slots that one replica has for the queue, at most. */
  readonly slotsPerReplica: number;
  /** Work waits for a limit, an hour or a time: somebody must be there when it opens. */
  readonly opensLater: boolean;
}

export interface ScalingBounds {
  readonly min: number;
  readonly max: number;
  /** The oldest job that could start shall not wait longer. */
  readonly targetAgeMs: number;
  /** Replicas that take jobs now. */
  readonly current: number;
}

export interface Scaling {
  readonly desiredReplicas: number;
  /** One sentence. */
  readonly reason: string;
}

/** A replica is added when the slots would be busier than the first, taken away when they would be less than the second. */
const BUSY_ABOVE = 0.9;
const IDLE_BELOW = 0.6;
/** However late the oldest job is: a backlog is to be gone within this share of the target at the earliest. */
const LEAST_SHARE = 0.25;

/**
 * How many replicas the queues need. Slots are separate, so the queue that needs most decides. Between what is needed at
 * high and at low use the present number stays: that gap, and the busiest of the last minutes on the way down, keep it
 * from following every wave. Pure.
 */
export function desiredReplicas(demands: readonly QueueDemand[], bounds: ScalingBounds): Scaling {
  const { min, max, targetAgeMs, current } = bounds;
  let up: Need = { replicas: 0 };
  let down: Need = { replicas: 0 };
  for (const demand of demands) {
    up = larger(up, {
      demand,
      replicas: replicasAt(demand, demand.startedPerSecond, BUSY_ABOVE, targetAgeMs),
    });
    const peak = Math.max(demand.startedPerSecond, demand.peakPerSecond);
    down = larger(down, { demand, replicas: replicasAt(demand, peak, IDLE_BELOW, targetAgeMs) });
  }
  const opening = demands.find(({ opensLater }) => opensLater);
  const floor = opening === undefined ? 0 : 1;
  const wanted = Math.max(
    floor,
    Math.min(Math.max(current, up.replicas), Math.max(up.replicas, down.replicas)),
  );
  const desired = Math.min(max, Math.max(min, wanted));
  return { desiredReplicas: desired, reason: reasonOf() };

  function reasonOf(): string {
    const bound = wanted > max ? `; ${wanted} would be needed` : '';
    if (up.demand !== undefined && up.replicas >= desired) return `${describe(up.demand)}${bound}`;
    if (desired > wanted) return `no more than ${wanted} needed, ${min} is the least`;
    if (down.demand !== undefined && down.replicas >= 1 && desired > up.replicas) {
      return `${describe(down.demand)}; fewer would be too busy at what its busiest recent minute asked`;
    }
    return opening === undefined
      ? 'nothing waits and nothing runs'
      : `nothing of ${opening.queue} could start now, but some of it will: one replica waits for it`;
  }
}

interface Need {
  readonly demand?: QueueDemand;
  readonly replicas: number;
}

function larger(one: Need, other: Need): Need {
  return other.replicas > one.replicas ? other : one;
}

function replicasAt(demand: QueueDemand, perSecond: number, use: number, targetAgeMs: number): number {
  const { eligible, active, oldestAgeMs, serviceMs, slotsPerReplica } = demand;
  // What has not ended yet tells no rate: then what runs is what is needed to go on.
  const steady = perSecond > 0 ? (perSecond * serviceMs) / 1_000 : active;
  const leftMs = Math.max(targetAgeMs - (oldestAgeMs ?? 0), LEAST_SHARE * targetAgeMs);
  const backlog = (eligible * serviceMs) / leftMs;
  const needed = Math.ceil((steady + backlog) / use / slotsPerReplica);
  return Math.max(needed, eligible + active > 0 ? 1 : 0);
}

function describe({ queue, eligible, active, oldestAgeMs }: QueueDemand): string {
  const age = oldestAgeMs === null ? '' : `, the oldest for ${Math.round(oldestAgeMs / 1_000)} s`;
  return `${queue}: ${eligible} could start now${age}, ${active} run`;
}
