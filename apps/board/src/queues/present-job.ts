import type { QueueJobJson } from '@bull-board/api/typings/app';
import type { BoardRole } from '@fairlane/runtime';
import type { JobHash, StoredText } from './job-hash.js';
import { secretsIn, withoutSecrets } from './secrets.js';

/** Puts a placeholder in place of every sensitive field of a payload of the job `name`. */
export type MaskPayload = (name: string, payload: unknown) => unknown;

export interface PresentOptions {
  role: BoardRole;
  mask: MaskPayload;
}

/** Deeper values are shown as raw text: serialising them could exhaust the stack (A23). */
const maxNesting = 200;

/**
 * A stored job as Bull Board shows it: for viewers without payload and result, sensitive fields masked in
 * the payload and wherever their values turn up again, values that are too large or unreadable named as such.
 */
export function presentJob(hash: JobHash, { role, mask }: PresentOptions): QueueJobJson {
  const { id, fields, texts } = hash;
  const name = fields.name ?? '';
  const payload = texts.data && readJson(texts.data);
  const masked = payload?.readable ? mask(name, payload.value) : undefined;
  const secrets = payload?.readable ? secretsIn(payload.value, masked) : [];
  const show = (stored: StoredText | undefined, what: string): unknown => {
    if (!stored) return undefined;
    const read = readJson(stored);
    return withoutSecrets(read.readable ? read.value : unreadable(id, what, stored), secrets);
  };

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
    progress: progressOf(show(texts.progress, 'progress')),
    failedReason: String(withoutSecrets(texts.failedReason?.text ?? '', secrets)),
    stacktrace: role === 'viewer' ? [] : linesOf(show(texts.stacktrace, 'stack trace')),
    opts: show(texts.opts, 'options') ?? {},
    data: { hidden: 'The viewer role does not see payloads.' },
    returnvalue: undefined,
  };
  if (role === 'viewer') return job;
  return {
    ...job,
    data: payload?.readable ? masked : texts.data && unreadable(id, 'payload', texts.data),
    returnvalue: show(texts.returnvalue, 'result'),
  };
}

type Read = { readable: true; value: unknown } | { readable: false };

function readJson({ text }: StoredText): Read {
  if (text === undefined || nestingOf(text) > maxNesting) return { readable: false };
  try {
    return { readable: true, value: JSON.parse(text) };
  } catch {
    return { readable: false };
  }
}

function unreadable(id: string, what: string, { text, bytes }: StoredText): unknown {
  if (text !== undefined) return { unreadable: text };
  const size = bytes.toLocaleString('en');
  return what === 'payload'
    ? { tooLarge: `The payload has ${size} bytes. Read it with GET /v1/jobs/${id}/payload.` }
    : { tooLarge: `The ${what} has ${size} bytes.` };
}

/** How deep brackets nest outside strings, in one pass and without recursion. */
function nestingOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"?|[[{]|[\]}]/gs)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, (depth += 1));
    else if (token === ']' || token === '}') depth -= 1;
  }
  return deepest;
}

function numberOf(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && Number.isFinite(value) ? value : undefined;
}

function progressOf(value: unknown): QueueJobJson['progress'] {
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value;
  return typeof value === 'object' && value !== null ? value : 0;
}

function linesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
