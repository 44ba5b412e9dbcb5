import {
  WORKER_STATUSES,
  type Operations,
  type QueueState,
  type Statistics,
  type WorkerView,
} from '@fairlane/queue';
import { Gauge, METRIC_PREFIX, type Registry } from '@fairlane/runtime';

/**
 * How the deployment stands, read from what one process saw and all of them tell: every replica of the API says the same,
 * so a query takes the `max` over them, never the `sum`. Labels hold declared names and fixed words, so the number of
 * series does not depend on accounts or jobs (A34).
 */
export function createSharedMetrics(
  registry: Registry,
  statistics: Statistics,
  operations: Pick<Operations, 'workers'>,
): () => Promise<void> {
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> =>
    new Gauge({ name: METRIC_PREFIX + name, help, labelNames: [...labelNames], registers: [registry] });
  const jobs = gauge('jobs', 'jobs by state', ['queue', 'state']);
  const eligibleAge = gauge(
    'oldest_eligible_age_seconds',
    'since when the oldest job that could run could have run; 0 when none could',
    ['queue'],
  );
  const heldAge = gauge('oldest_held_age_seconds', 'age of the oldest job that a closed gate holds', [
    'queue',
    'reason',
  ]);
  const accounts = gauge(
    'accounts',
    'accounts with waiting jobs, counted once in each limit group they wait in; of very many at least this many',
    ['queue', 'state', 'reason'],
  );
  const workers = gauge('workers', 'workers of each queue by how they are', ['queue', 'status']);
  const memory = gauge('redis_memory_bytes', 'memory that Redis uses', []);
  const memoryLimit = gauge(
    'redis_memory_limit_bytes',
    'memory that Redis may use: maxmemory, else what the machine has',
    [],
  );

  function show(queue: string, state: QueueState): void {
    for (const [name, count] of Object.entries(state.counts)) jobs.set({ queue, state: name }, count);
    eligibleAge.set({ queue }, (state.oldestEligibleAgeMs ?? 0) / 1_000);
    accounts.set({ queue, state: 'ready', reason: '' }, state.openLanes);
    for (const [reason, { lanes, oldestAgeMs }] of Object.entries(state.held)) {
      accounts.set({ queue, state: 'held', reason }, lanes);
      heldAge.set({ queue, reason }, oldestAgeMs / 1_000);
    }
  }

  function showWorkers(queue: string, known: readonly WorkerView[]): void {
    for (const status of WORKER_STATUSES) {
      const count = known.filter((each) => each.status === status && serves(each, queue)).length;
      // Shown when it is 0 too, so that a rule can tell none from not known.
      workers.set({ queue, status }, count);
    }
  }

  return async () => {
    const read = Promise.all([statistics.states(), statistics.memory(), operations.workers()]);
    const [states, used, known] = await read.catch(() => []);
    // While Redis is away nothing is told rather than what was true once.
    for (const each of [jobs, eligibleAge, heldAge, accounts, workers, memory, memoryLimit]) each.reset();
    if (states === undefined || used === undefined || known === undefined) {
      for (const each of [memory, memoryLimit]) each.remove();
      return;
    }
    memory.set(used.usedBytes);
    memoryLimit.set(used.limitBytes);
    for (const [queue, state] of states) {
      show(queue, state);
      showWorkers(queue, known);
    }
  };
}

function serves({ served }: WorkerView, name: string): boolean {
  return served.some(({ queue }) => queue === name);
}
