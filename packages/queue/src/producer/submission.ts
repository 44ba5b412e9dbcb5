import { identify, parsePayload, PayloadError } from '@fairlane/sdk';
import type { Catalogue, JobContract, JobIdentity, PayloadIssue, WaitingBounds } from '@fairlane/sdk';
import type { JobJson } from 'bullmq';
import type { z } from 'zod';
import { storedDigest } from '../dedup/dedup-key.js';
import type { Envelope } from '../jobs/envelope.js';
import { storedOptions } from '../jobs/job-options.js';
import type { EnqueueSchedule } from './schedule.js';

/** A checked job, ready to be sent. */
export interface Submission {
  readonly kind: 'submission';
  readonly contract: JobContract;
  readonly identity: JobIdentity;
  readonly queue: string;
  readonly bounds: WaitingBounds;
  readonly digest: string;
  readonly data: string;
}

export interface Refusal {
  readonly kind: 'refusal';
  readonly code: 'invalid_payload' | 'payload_too_large';
  readonly issues: readonly PayloadIssue[];
}

/** Checks a payload against its contract and derives all that is stored. Pure. */
export function prepare<N extends string, S extends z.ZodType>(
  catalogue: Catalogue,
  contract: JobContract<N, S>,
  value: unknown,
  maxPayloadBytes: number,
): Submission | Refusal {
  const parsed = parsePayload(contract, value);
  if (!parsed.ok) return { kind: 'refusal', code: 'invalid_payload', issues: parsed.issues };
  const { payload } = parsed;
  try {
    const identity = identify(contract, payload);
    const envelope: Envelope = { v: contract.version, p: payload };
    const data = JSON.stringify(envelope);
    const bytes = Buffer.byteLength(data);
    if (bytes > maxPayloadBytes) {
      const message = `the payload has ${bytes} bytes, at most ${maxPayloadBytes} are taken`;
      return { kind: 'refusal', code: 'payload_too_large', issues: [{ path: '', message }] };
    }
    const queue = catalogue.queueFor(contract, payload);
    const digest = storedDigest(identity.payloadDigest);
    return {
      kind: 'submission',
      contract,
      identity,
      queue,
      bounds: boundsOf(catalogue, queue),
      digest,
      data,
    };
  } catch (error) {
    if (error instanceof PayloadError) {
      return { kind: 'refusal', code: 'invalid_payload', issues: error.issues };
    }
    throw error;
  }
}

function boundsOf({ queues }: Catalogue, queue: string): WaitingBounds {
  const definitions: Readonly<Record<string, WaitingBounds>> = queues.definitions;
  return definitions[queue] as WaitingBounds;
}

/** The job as BullMQ's backend takes it. @param nowMs server time. */
export function toJobJson(
  { contract, identity, data }: Submission,
  { dueAtMs, delayMs, priority }: EnqueueSchedule,
  nowMs: number,
): JobJson {
  const waitMs = Math.ceil(Math.max(0, dueAtMs === undefined ? delayMs : dueAtMs - nowMs));
  return {
    id: identity.id,
    name: contract.name,
    data,
    opts: storedOptions(contract, identity, { delayMs: waitMs, priority: priority ?? contract.priority }),
    timestamp: Math.floor(nowMs),
    // The rest belongs to jobs that have run; adding reads none of it.
    progress: 0,
    attemptsMade: 0,
    attemptsStarted: 0,
    stalledCounter: 0,
    failedReason: '',
    returnvalue: '',
  };
}
