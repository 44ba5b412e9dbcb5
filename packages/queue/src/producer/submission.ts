import { MAX_INLINE_BYTES } from '@fairlane/blobs';
import { identify, parsePayload, PayloadError } from '@fairlane/sdk';
import type { Catalogue, JobContract, JobIdentity, PayloadIssue, WaitingBounds } from '@fairlane/sdk';
import type { JobJson } from 'bullmq';
import type { z } from 'zod';
import { storedDigest } from '../dedup/dedup-key.js';
import { storedOptions } from '../jobs/job-options.js';
import { isLarge, type PayloadHold } from '../payloads/payload-holds.js';
import type { EnqueueSchedule } from './schedule.js';

/** A checked job, ready to be sent. */
export interface Submission {
  readonly kind: 'submission';
  readonly contract: JobContract;
  readonly identity: JobIdentity;
  readonly queue: string;
  readonly bounds: WaitingBounds;
  readonly digest: string;
  /** As JSON. */
  readonly payload: string;
  readonly payloadBytes: number;
  /** Stored files that the payload names. */
  readonly sources: readonly string[];
  /** What it needs of the blob store, once that is held. */
  readonly hold?: PayloadHold;
}

/** What a producer can take. */
export interface PayloadBounds {
  /** Largest payload, in bytes of JSON. */
  readonly maxBytes: number;
  /** Without a blob store neither large payloads nor stored files can be kept. */
  readonly hasBlobStore: boolean;
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
  { maxBytes, hasBlobStore }: PayloadBounds,
): Submission | Refusal {
  const parsed = parsePayload(contract, value);
  if (!parsed.ok) return { kind: 'refusal', code: 'invalid_payload', issues: parsed.issues };
  const { payload } = parsed;
  try {
    const identity = identify(contract, payload);
    const json = JSON.stringify(payload);
    const bytes = Buffer.byteLength(json);
    if (bytes > maxBytes) {
      return refuse('payload_too_large', `the payload has ${bytes} bytes, at most ${maxBytes} are taken`);
    }
    if (isLarge(bytes) && !hasBlobStore) {
      const message = `the payload has ${bytes} bytes, at most ${MAX_INLINE_BYTES} are taken without a blob store: set FAIRLANE_BLOB_STORE`;
      return refuse('payload_too_large', message);
    }
    const sources = contract.sources?.(payload) ?? [];
    if (sources.length > 0 && !hasBlobStore) {
      const message = 'the payload names stored files, and there is no blob store: set FAIRLANE_BLOB_STORE';
      return refuse('invalid_payload', message);
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
      payload: json,
      payloadBytes: bytes,
      sources,
    };
  } catch (error) {
    if (error instanceof PayloadError) {
      return { kind: 'refusal', code: 'invalid_payload', issues: error.issues };
    }
    throw error;
  }
}

function refuse(code: Refusal['code'], message: string): Refusal {
  return { kind: 'refusal', code, issues: [{ path: '', message }] };
}

function boundsOf({ queues }: Catalogue, queue: string): WaitingBounds {
  const definitions: Readonly<Record<string, WaitingBounds>> = queues.definitions;
  return definitions[queue] as WaitingBounds;
}

/** The job as BullMQ's backend takes it. @param nowMs server time. */
export function toJobJson(
  { contract, identity, payload, hold }: Submission,
  { dueAtMs, delayMs, priority }: EnqueueSchedule,
  nowMs: number,
): JobJson {
  const waitMs = Math.ceil(Math.max(0, dueAtMs === undefined ? delayMs : dueAtMs - nowMs));
  return {
    id: identity.id,
    name: contract.name,
    // An envelope around a text that is JSON already; or a claim check.
    data: hold?.claim ? JSON.stringify(hold.claim) : `{"v":${contract.version},"p":${payload}}`,
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
