import type { OperationsOptions } from '@fairlane/queue';
import { Counter, METRIC_PREFIX, type Registry } from '@fairlane/runtime';

/**
 * `fairlane_jobs_finished_total` of this process: waiting jobs that were cancelled here. Workers count all other ends
 * under the same name and labels, so the sum over all processes counts each job once.
 */
export function createCancelledCounter(registry: Registry): NonNullable<OperationsOptions['onCancelled']> {
  const counter = new Counter({
    name: `${METRIC_PREFIX}jobs_finished_total`,
    help: 'jobs that reached an end',
    labelNames: ['queue', 'name', 'outcome', 'code'],
    registers: [registry],
  });
  return ({ queue, name }) => counter.inc({ queue, name, outcome: 'cancelled', code: '' });
}
