import type { QueueJobJson } from '@bull-board/api/typings/app';
import { isClaimCheck, isEnvelope, parseJobData, type ClaimCheck } from '@fairlane/queue';
import type { BoardRole } from '@fairlane/runtime';
import type { JobHash, StoredText } from './job-hash.js';
import type { PayloadRules } from './payload-rules.js';
import { REDACTED, secretsIn, withoutSecrets } from './secrets.js';

export interface PresentOptions {
  role: BoardRole;
  rules: PayloadRules;
  /** Longer values are named by their size. */
  maxShownBytes: number;
}

/**
 * A stored job as Bull Board shows it: for viewers without payload and result, sensitive fields masked in
 * the payload and wherever their values turn up again, values that are too large or unreadable named as such.
 */
export function presentJob(hash: JobHash, { role, rules, maxShownBytes }: PresentOptions): QueueJobJson {
  const { id, fields, texts } = hash;
  const name = fields.name ?? '';
  const data = texts.data?.text === undefined ? undefined : parseJobData(texts.data.text)?.value;
  const claim = isClaimCheck(data) ? data : undefined;
  const payload = isEnvelope(data) ? { value: data.p } : undefined;
  const masked = payload && rules.mask(name, payload.value);
  const secrets = payload ? secretsIn(payload.value, masked) : [];
  // Where the payload cannot be read, its secrets cannot be recognised in an error either.
  const mayQuoteSecrets = texts.data !== undefined && !payload && rules.isSensitive(name);

  function show(stored: StoredText | undefined, value: (text: string) => unknown): unknown {
    if (!stored) return undefined;
    if (mayQuoteSecrets) return REDACTED;
    if (stored.text === undefined || stored.bytes > maxShownBytes)
      return `[${formatBytes(stored.bytes)}, too large to show]`;
    return withoutSecrets(value(stored.text), secrets);
  }

  function showPayload(stored: StoredText | undefined): unknown {
    if (!stored) return undefined;
    const elsewhere = `GET /v1/jobs/${id}/payload`;
    if (stored.bytes > maxShownBytes) return { tooLarge: `${formatBytes(stored.bytes)}: ${elsewhere}` };
    if (claim) return { inBlobStore: describeClaim(claim, elsewhere) };
    if (payload) return masked;
    return mayQuoteSecrets
      ? { unreadable: `${formatBytes(stored.bytes)} that cannot be read as a payload: ${elsewhere}` }
      : { unreadable: stored.text };
  }

  const stacktrace = show(texts.stacktrace, jsonOrText);
  const job: QueueJobJson = {
    id,
    name,
    timestamp: numberOf(fields.timestamp) ?? 0,
    attemptsMade: numberOf(fields.atm) ?? 0,
    attemptsStarted: numberOf(fields.ats) ?? 0,
    stalledCounter: numberOf(fields.stc) ?? 0,
    processedOn: numberOf(fields.processedOn) ?? null,
    finishedOn: numberOf(fields.finishedOn) ?? null,
    processedBy: fields.pb ?? null,
    delay: numberOf(fields.delay) ?? 0,
    priority: numberOf(fields.priority) ?? 0,
    progress: progressOf(show(texts.progress, jsonOrText)),
    failedReason: textOf(show(texts.failedReason, (text) => text)),
    stacktrace: [],
    // Account, limit group and key; nothing of the payload.
    opts: jsonOrText(texts.opts?.text ?? '{}'),
    data: { hidden: 'The viewer role does not see payloads.' },
    returnvalue: undefined,
  };
  if (role === 'viewer') return job;
  return {
    ...job,
    stacktrace: Array.isArray(stacktrace) ? stacktrace.map(String) : [],
    data: showPayload(texts.data),
    returnvalue: show(texts.returnvalue, jsonOrText),
  };
}

/** Where a payload is that does not lie in Redis, for a person: the claim check alone says nothing. */
function describeClaim({ bytes }: ClaimCheck, elsewhere: string): string {
  const size = bytes < 999_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `payload of ${size} in the blob store: ${elsewhere}`;
}

function jsonOrText(text: string): unknown {
  const parsed = parseJobData(text);
  return parsed ? parsed.value : text;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function formatBytes(bytes: number): string {
  return `${bytes.toLocaleString('en')} bytes`;
}

function numberOf(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && Number.isFinite(value) ? value : undefined;
}

function progressOf(value: unknown): QueueJobJson['progress'] {
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value;
  return typeof value === 'object' && value !== null ? value : 0;
}
