import type { JobState } from '@fairlane/sdk';
import type { Redis } from 'ioredis';
import { dedupKey } from '../dedup/dedup-key.js';
import { OWN_SCRIPTS } from '../scripts/commands.js';
import { runScript } from '../scripts/run-script.js';
import { toJobView, type InspectedJob, type JobView } from './job-view.js';

/** @param queues to look in when the dedup memory does not know the job. */
export async function readJobView(
  client: Redis,
  {
    prefix,
    id,
    queues,
  }: { readonly prefix: string; readonly id: string; readonly queues: readonly string[] },
): Promise<JobView | undefined> {
  const { bucketKey, field } = dedupKey(prefix, id);
  const reply = await runScript(client, OWN_SCRIPTS.inspect, [bucketKey, field, id, `${prefix}:`, ...queues]);
  return reply === null ? undefined : toJobView(readReply(id, reply));
}

function readReply(id: string, reply: unknown): InspectedJob {
  const [queue, state, nowMs, delayedScore, leaseMs, flat] = reply as [
    string,
    JobState,
    number,
    string,
    number,
    string[],
  ];
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < flat.length; at += 2) fields.set(flat[at] as string, flat[at + 1] as string);
  return {
    id,
    queue,
    state,
    nowMs,
    delayedScore: delayedScore === '' ? undefined : Number(delayedScore),
    leaseMs,
    fields,
  };
}
