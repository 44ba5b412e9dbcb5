import { classifyError, PayloadError, readStoredPayload, VersionAheadError } from '@fairlane/sdk';
import { boundedReason } from '@fairlane/sdk/internal';
import type { JobImplementation, JobInfo } from '@fairlane/sdk';
import { isEnvelope } from '../jobs/envelope.js';
import { isClaimCheck } from '../payloads/claim-check.js';
import { UnreadableData, type FairlaneJob } from '../jobs/fairlane-job.js';
import { readOptions } from '../jobs/job-options.js';

/** What a stored job turned out to be. */
export type ReadJob =
  | {
      readonly kind: 'ok';
      readonly implementation: JobImplementation;
      readonly payload: unknown;
      readonly info: JobInfo;
    }
  /** Nobody can read it, whatever is deployed. */
  | { readonly kind: 'unreadable' | 'invalid_payload'; readonly reason: string }
  /** Another worker may know it: a job of a newer contract, or one this worker has no handler for. */
  | { readonly kind: 'no_handler' };

/** Reads a job's data by the contract of its name, older versions upgraded. Pure. */
export function readJob(
  job: Pick<FairlaneJob, 'id' | 'name' | 'data' | 'opts' | 'queueName'>,
  implementations: ReadonlyMap<string, JobImplementation>,
): ReadJob {
  const { data } = job;
  if (data instanceof UnreadableData)
    return { kind: 'unreadable', reason: 'the stored data cannot be parsed' };
  if (typeof job.name !== 'string' || job.name === '') {
    return { kind: 'unreadable', reason: 'the stored job has no name' };
  }
  const implementation = implementations.get(job.name);
  // Its payload was not fetched for it.
  if (isClaimCheck(data) && implementation === undefined) return { kind: 'no_handler' };
  if (!isEnvelope(data)) {
    return { kind: 'unreadable', reason: 'the stored data holds no payload with a version' };
  }
  if (implementation === undefined) return { kind: 'no_handler' };
  try {
    const payload: unknown = readStoredPayload(implementation.contract, data.v, data.p);
    return { kind: 'ok', implementation, payload, info: readInfo(job, implementation, payload) };
  } catch (error) {
    if (error instanceof VersionAheadError) return { kind: 'no_handler' };
    if (error instanceof PayloadError) {
      return { kind: 'invalid_payload', reason: classifyError(error).reason };
    }
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: 'unreadable', reason: boundedReason(`reading the payload failed: ${reason}`) };
  }
}

function readInfo(
  job: Pick<FairlaneJob, 'id' | 'opts' | 'queueName'>,
  { contract }: JobImplementation,
  payload: unknown,
): JobInfo {
  const { lane, key } = readOptions(job.opts);
  return {
    id: job.id ?? '',
    key,
    name: contract.name,
    version: contract.version,
    queue: job.queueName,
    account: lane.account ?? contract.account(payload),
    limitGroup: lane.group ?? contract.limitGroup(payload),
    ...(lane.tag === undefined ? {} : { tag: lane.tag }),
  };
}
