import type { EffectRunnerOptions } from '@fairlane/ledger';
import type { ConsumerHooks } from '@fairlane/queue';
import { Counter, Histogram, METRIC_PREFIX, type Registry } from '@fairlane/runtime';

/** Seconds; a job may wait for hours, a handler runs for at most its time limit. */
const waitBuckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400];
const processingBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const REPAIRS = ['freed', 'added', 'corrected'] as const;

/**
 * What this process does to jobs, counted where it happens: the sum over all workers counts each job once.
 * Labels hold queue and job names, never an account, so the number of series is bounded by the catalogue.
 *
 * @param queues that its audit looks at.
 */
export function jobMetrics(registry: Registry, queues: readonly string[]): ConsumerHooks {
  const registers = [registry];
  const started = new Counter({
    name: `${METRIC_PREFIX}jobs_started_total`,
    help: 'attempts started',
    labelNames: ['queue'],
    registers,
  });
  const finished = new Counter({
    name: `${METRIC_PREFIX}jobs_finished_total`,
    help: 'jobs that reached an end',
    labelNames: ['queue', 'name', 'outcome', 'code'],
    registers,
  });
  const attempts = new Counter({
    name: `${METRIC_PREFIX}job_attempts_total`,
    help: 'attempts by how they ended: completed, or the class of their error',
    labelNames: ['queue', 'class'],
    registers,
  });
  const repairs = new Counter({
    name: `${METRIC_PREFIX}claim_repairs_total`,
    help: 'claims and counts of the lanes that an audit has repaired',
    labelNames: ['queue', 'direction'],
    registers,
  });
  const timeInQueue = new Histogram({
    name: `${METRIC_PREFIX}time_in_queue_seconds`,
    help: 'from when a job became due until its first attempt started',
    labelNames: ['queue'],
    buckets: waitBuckets,
    registers,
  });
  const processing = new Histogram({
    name: `${METRIC_PREFIX}processing_seconds`,
    help: 'how long handlers ran',
    labelNames: ['queue', 'name'],
    buckets: processingBuckets,
    registers,
  });
  // A counter that begins with its first repairs hides them from a rule that asks for the increase.
  for (const queue of queues) for (const direction of REPAIRS) repairs.inc({ queue, direction }, 0);
  return {
    onStarted({ queue, waitedMs }) {
      started.inc({ queue });
      if (waitedMs !== undefined) timeInQueue.observe({ queue }, waitedMs / 1000);
    },
    onFailedAttempt({ queue, class: errorClass }) {
      attempts.inc({ queue, class: errorClass });
    },
    onAttemptEnded({ queue, name, outcome, end, code = '', processingMs }) {
      if (processingMs !== undefined) processing.observe({ queue, name }, processingMs / 1000);
      if (outcome === 'completed') attempts.inc({ queue, class: 'completed' });
      if (end !== undefined) finished.inc({ queue, name, outcome: end, code });
    },
    onRepaired({ queue, claimsFreed, claimsAdded, countsCorrected, lanesOpened }) {
      repairs.inc({ queue, direction: 'freed' }, claimsFreed);
      repairs.inc({ queue, direction: 'added' }, claimsAdded);
      repairs.inc({ queue, direction: 'corrected' }, countsCorrected + lanesOpened);
    },
  };
}

/** What became of each use of an effect. */
export function effectMetrics(registry: Registry): NonNullable<EffectRunnerOptions['onOutcome']> {
  const effects = new Counter({
    name: `${METRIC_PREFIX}effects_total`,
    help: 'uses of effects by what became of them',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return (outcome) => effects.inc({ outcome });
}
