import { isEnvelope, parseJobData } from '../jobs/envelope.js';
import { isClaimCheck, type ClaimCheck } from './claim-check.js';

/** Where a job's payload is, and what it is. */
export type StoredPayload =
  /** JSON, as it was handed in. */
  | { readonly kind: 'json'; readonly text: string }
  /** In the blob store. */
  | { readonly kind: 'blob'; readonly source: string; readonly bytes: number }
  /** What is stored can be read as no payload: all of it. */
  | { readonly kind: 'unreadable'; readonly text: string };

/** Of a job's data as it is stored. */
export function locatePayload(data: string): StoredPayload {
  const value = parseJobData(data)?.value;
  if (isClaimCheck(value)) return { kind: 'blob', source: value.blob, bytes: value.bytes };
  if (!isEnvelope(value)) return { kind: 'unreadable', text: data };
  // As it stands where we wrote it, so that numbers keep their digits.
  const [head = ''] = /^\{"v":\d+,"p":/.exec(data) ?? [];
  return { kind: 'json', text: head === '' ? JSON.stringify(value.p) : data.slice(head.length, -1) };
}

export function readClaimCheck(data: string): ClaimCheck | undefined {
  const value = parseJobData(data)?.value;
  return isClaimCheck(value) ? value : undefined;
}
