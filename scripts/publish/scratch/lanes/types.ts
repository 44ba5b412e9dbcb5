// Compiled, not run: what the types let through and what they refuse, libraries' declarations checked too.
import { createLaneBackend, createLanes, LaneError, type AccountView, type Limits } from '@fairlane/lanes';
import { checkRate } from '@fairlane/lanes/invariants';
import { FlowProducer, Queue, QueueEvents, Worker, type Job } from 'bullmq';

const connection = { host: '127.0.0.1', port: 6379 };
const backend = createLaneBackend({
  groups: { email: { default: { limit: 10, perMs: 1_000 }, total: { limit: 50, perMs: 1_000 } } },
});
const options = { connection, prefix: '{scratch}' };
export const queue = new Queue<{ to: string }, { id: string }>('outreach', options, backend);
export const events = new QueueEvents('outreach', options, backend);
export const flows = new FlowProducer(options, backend);
export const worker = new Worker<{ to: string }, { id: string }>(
  'outreach',
  async (job: Job<{ to: string }>) => ({ id: job.data.to }),
  options,
  backend,
);

export async function use(): Promise<AccountView> {
  await queue.add('send', { to: 'a@example.com' }, { lane: { account: 'acme', group: 'email', cost: 2 } });
  // @ts-expect-error a lane needs an account
  await queue.add('send', { to: 'a@example.com' }, { lane: { group: 'email' } });
  // @ts-expect-error one option, one name
  createLaneBackend({ group: {} });
  const lanes = createLanes(options);
  const limits: Limits = { limit: 5, perMs: 1_000, maxInFlight: 2 };
  await lanes.setLimits('acme', 'email', limits).catch((error: unknown) => {
    if (error instanceof LaneError && error.code === 'invalid_limits') return;
    throw error;
  });
  checkRate([], [{ from: 0, ...limits }]);
  return lanes.account('acme');
}
