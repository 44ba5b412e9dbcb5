import {
  boundedReason,
  CLASSIFICATION,
  ERROR_CLASSES,
  ERROR_CODES,
  type Classification,
} from './classification.js';
import { classifyAws, classifyRedis } from './client-errors.js';
import type { FairlaneError } from './errors.js';
import { classifyStatus } from './http-error.js';
import { classifyNodeCode } from './node-codes.js';
import { parseRetryAfter } from './retry-after.js';

/** Longest chain of causes that is followed; a longer one is a cycle or of no help. */
const MAX_CAUSES = 8;

/**
 * What a thrown value means for the job: whether to try again, when, and whether the failed call may have been
 * applied. Never throws, whatever was thrown. The first link of the `cause` chain that says something decides.
 *
 * @param nowMs milliseconds since the epoch, for Retry-After dates of foreign errors.
 */
export function classifyError(error: unknown, nowMs: number = Date.now()): Classification {
  try {
    return classifyChain(error, nowMs) ?? unclassified(describe(error));
  } catch {
    // A proxy may throw from any operation, `Array.isArray` included.
    return unclassified('an object that cannot be read was thrown');
  }
}

/**
 * Says what an error of a library means that nothing else knows: an error of this package in its place, or undefined
 * to leave it as it is.
 */
export type ErrorTranslation = (error: unknown) => FairlaneError | undefined;

/**
 * {@link classifyError} after the implementation's own `translateError`. A translation that throws is left out.
 *
 * @param nowMs milliseconds since the epoch, for Retry-After dates of foreign errors.
 */
export function classifyFailure(
  { translateError }: { readonly translateError?: ErrorTranslation },
  error: unknown,
  nowMs: number = Date.now(),
): Classification {
  let translated: unknown;
  try {
    translated = translateError?.(error);
  } catch {
    translated = undefined;
  }
  return classifyError(translated ?? error, nowMs);
}

function unclassified(reason: string): Classification {
  return { class: 'unknown', code: 'unclassified', reason: boundedReason(reason), applied: 'unknown' };
}

function classifyChain(error: unknown, nowMs: number): Classification | undefined {
  let link = error;
  for (let depth = 0; depth < MAX_CAUSES; depth += 1) {
    const found = classifyLink(link, nowMs) ?? classifyAggregate(link, nowMs);
    if (found !== undefined) return found;
    link = read(link, 'cause');
  }
  return undefined;
}

function classifyLink(link: unknown, nowMs: number): Classification | undefined {
  return (
    ownClassification(link) ??
    classifyZod(link) ??
    classifyAbort(link) ??
    classifyClient(link) ??
    classifyHttp(link, nowMs) ??
    classifyNode(link)
  );
}

/** Rebuilt member by member: the symbol is public, so what it holds need not be well made. */
function ownClassification(link: unknown): Classification | undefined {
  const own = read(link, CLASSIFICATION);
  const errorClass = ERROR_CLASSES.find((one) => one === read(own, 'class'));
  const code = ERROR_CODES.find((one) => one === read(own, 'code'));
  const reason = read(own, 'reason');
  if (errorClass === undefined || code === undefined || typeof reason !== 'string') return undefined;
  const status = read(own, 'status');
  const retryAfterMs = read(own, 'retryAfterMs');
  return {
    class: errorClass,
    code,
    ...(isHttpStatus(status) ? { status } : {}),
    ...(Number.isFinite(retryAfterMs) && (retryAfterMs as number) > 0
      ? { retryAfterMs: retryAfterMs as number }
      : {}),
    reason: boundedReason(reason),
    applied: read(own, 'applied') === 'no' ? 'no' : 'unknown',
  };
}

function isHttpStatus(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 100 && (value as number) < 600;
}

/** `unknown` although nothing was sent perhaps: the schema may be that of an answer, read after the effect. */
function classifyZod(link: unknown): Classification | undefined {
  const name = read(link, 'name');
  const issues = read(link, 'issues');
  if ((name !== 'ZodError' && name !== '$ZodError') || !Array.isArray(issues)) return undefined;
  const path = read(issues[0], 'path');
  const where = Array.isArray(path) ? path.map(String).join('.') : '';
  const message = read(issues[0], 'message');
  const reason = `${where === '' ? 'value' : where}: ${typeof message === 'string' ? message : 'invalid'}`;
  return { class: 'permanent', code: 'invalid_payload', reason: boundedReason(reason), applied: 'unknown' };
}

function classifyAbort(link: unknown): Classification | undefined {
  const name = read(link, 'name');
  if (name === 'TimeoutError') {
    return { class: 'retryable', code: 'timeout', reason: 'the call took too long', applied: 'unknown' };
  }
  if (name === 'AbortError') {
    return { class: 'retryable', code: 'aborted', reason: 'the call was aborted', applied: 'unknown' };
  }
  return undefined;
}

function classifyClient(link: unknown): Classification | undefined {
  const name = read(link, 'name');
  const message = read(link, 'message');
  const found = classifyAws(name, read(link, '$metadata')) ?? classifyRedis(name, message);
  if (found === undefined) return undefined;
  return {
    ...found,
    reason: boundedReason(typeof message === 'string' ? message : 'the outside refused the call'),
  };
}

/** Errors of HTTP clients: `status`, `statusCode`, or those of a `response` they hold. */
function classifyHttp(link: unknown, nowMs: number): Classification | undefined {
  const response = read(link, 'response');
  const status = [
    read(link, 'status'),
    read(link, 'statusCode'),
    read(response, 'status'),
    read(response, 'statusCode'),
    read(read(link, '$metadata'), 'httpStatusCode'),
  ].find((value) => Number.isInteger(value) && (value as number) >= 400 && (value as number) < 600);
  if (typeof status !== 'number') return undefined;
  const header = (name: string) =>
    readHeader(read(response, 'headers'), name) ?? readHeader(read(link, 'headers'), name);
  const retryAfterMs = parseRetryAfter(header('retry-after'), nowMs, header('date'));
  return { ...classifyStatus(status, retryAfterMs), reason: `the outside answered ${status}` };
}

/** @param name in lower case. */
function readHeader(headers: unknown, name: string): string | undefined {
  const get = read(headers, 'get');
  let value: unknown;
  if (typeof get === 'function') {
    try {
      value = Reflect.apply(get, headers, [name]);
    } catch {
      return undefined;
    }
  } else {
    value = read(headers, name) ?? read(headers, name.replaceAll(/\b[a-z]/g, capital));
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function capital(letter: string): string {
  return letter.toUpperCase();
}

function classifyNode(link: unknown): Classification | undefined {
  // The fetch of Node 24 gives the error of its parser no code.
  const code = read(link, 'code') ?? (read(link, 'name') === 'HTTPParserError' ? 'HPE_UNKNOWN' : undefined);
  return typeof code === 'string' ? classifyNodeCode(code, read(link, 'syscall')) : undefined;
}

/** Connecting to several addresses of a name fails with all their errors at once: the least certain decides. */
function classifyAggregate(link: unknown, nowMs: number): Classification | undefined {
  const errors = read(link, 'errors');
  if (!Array.isArray(errors) || errors.length > MAX_CAUSES) return undefined;
  const found = errors.map((error) => classifyLink(error, nowMs));
  if (found.includes(undefined)) return undefined;
  return found.find((one) => one?.applied === 'unknown') ?? found[0];
}

/** Reads a member of anything; a getter or proxy that throws counts as a missing member. */
function read(from: unknown, name: string | symbol): unknown {
  if (from === null || (typeof from !== 'object' && typeof from !== 'function')) return undefined;
  try {
    return (from as Record<string | symbol, unknown>)[name];
  } catch {
    return undefined;
  }
}

function describe(error: unknown): string {
  const message = read(error, 'message');
  if (typeof message === 'string' && message !== '') {
    const name = read(error, 'name');
    return typeof name === 'string' && name !== 'Error' ? `${name}: ${message}` : message;
  }
  switch (typeof error) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return `${typeof error} was thrown: ${error}`;
    default:
      return error === null ? 'null was thrown' : `${typeof error} was thrown`;
  }
}
