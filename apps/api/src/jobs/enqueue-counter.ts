import { Counter, METRIC_PREFIX, type Registry } from '@fairlane/runtime';
import { parsePayload, type Catalogue, type JobContract } from '@fairlane/sdk';

export type EnqueueOutcome = 'accepted' | 'duplicate' | 'conflict' | 'refused' | 'unavailable';

/** `fairlane_jobs_enqueued_total`: what became of what was handed in here. Labels are declared names only. */
export function createEnqueueCounter(registry: Registry, catalogue: Catalogue) {
  const counter = new Counter({
    name: `${METRIC_PREFIX}jobs_enqueued_total`,
    help: 'Jobs handed in, by what became of them',
    labelNames: ['queue', 'name', 'outcome'],
    registers: [registry],
  });
  return (contract: JobContract, payload: unknown, outcome: EnqueueOutcome): void => {
    counter.inc({ queue: queueOf(catalogue, contract, payload), name: contract.name, outcome });
  };
}

export type EnqueueCounter = ReturnType<typeof createEnqueueCounter>;

/** Only a job that is routed by its payload has to be read once more for it. */
function queueOf(catalogue: Catalogue, contract: JobContract, payload: unknown): string {
  if (contract.queue !== undefined) return contract.queue;
  const parsed = parsePayload(contract, payload);
  return parsed.ok ? catalogue.queueFor(contract, parsed.payload) : 'none';
}
