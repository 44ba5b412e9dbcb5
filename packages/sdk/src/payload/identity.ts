import { hash } from 'node:crypto';
import type { z } from 'zod';
import { canonicalJson } from './canonical-json.js';
import type { JobContract, KeyPart } from '../contract/contract.js';
import { PayloadError, type PayloadIssue } from '../errors/errors.js';

/** Longest account id, in UTF-8 bytes: it is part of many keys in Redis. */
export const MAX_ACCOUNT_BYTES = 256;
/** Longest business key, all parts together, in UTF-8 bytes. */
export const MAX_KEY_BYTES = 16_384;
/** Most parts of a business key. */
export const MAX_KEY_PARTS = 16;
/** Longest tag, in UTF-8 bytes. */
export const MAX_TAG_BYTES = 256;

/** Who a job is, told from its payload alone. */
export interface JobIdentity {
  readonly account: string;
  /** sha256 over job name, account and key parts; 64 hex digits. */
  readonly key: string;
  /** 22 characters of base64url, made of the first 128 bits of `key`. */
  readonly id: string;
  /** Tells two payloads of one key apart; 22 characters. Order of members does not matter. */
  readonly payloadDigest: string;
  readonly limitGroup: string;
  readonly tag?: string;
}

/**
 * Identity of the job that a parsed payload makes. Pure; the functions of the contract are called twice, since a
 * key that is not a function of the payload (a clock, a counter, a random number) would defeat deduplication.
 *
 * @throws PayloadError when account, key, tag or payload is empty, too long or not what the contract promises.
 */
export function identify<N extends string, S extends z.ZodType>(
  contract: JobContract<N, S>,
  payload: z.output<S>,
): JobIdentity {
  const { account, parts, limitGroup, tag } = read(contract, payload);
  const issues: PayloadIssue[] = [];
  checkAccount(account, issues);
  checkKey(parts, issues);
  checkTag(tag, issues);
  if (issues.length > 0) throw new PayloadError(contract.name, issues);

  const key = hashKey(contract.name, account, parts);
  const again = read(contract, payload);
  if (limitGroup !== again.limitGroup || account !== again.account || !sameParts(parts, again.parts)) {
    throw refused(contract, 'account, key or limitGroup gave two answers for one payload');
  }
  return {
    account,
    key,
    id: jobIdOf(key),
    payloadDigest: digest(contract, payload),
    limitGroup,
    ...(tag === undefined ? {} : { tag }),
  };
}

function read<N extends string, S extends z.ZodType>(contract: JobContract<N, S>, payload: z.output<S>) {
  try {
    return {
      account: contract.account(payload),
      parts: contract.key(payload),
      limitGroup: contract.limitGroup(payload),
      tag: contract.tag?.(payload),
    };
  } catch (cause) {
    throw refused(contract, 'account, key, limitGroup or tag could not be told from the payload', cause);
  }
}

function refused(contract: JobContract, message: string, cause?: unknown): PayloadError {
  return new PayloadError(
    contract.name,
    [{ path: '', message }],
    cause === undefined ? undefined : { cause },
  );
}

/**
 * Job id of a business key. 128 bits in base64url end in a character that holds two bits, always one of `A`, `Q`,
 * `g` and `w`: an id therefore never consists of digits alone, which BullMQ refuses, and never holds a colon.
 */
export function jobIdOf(key: string): string {
  return Buffer.from(key.slice(0, 32), 'hex').toString('base64url');
}

/** Every field carries its type and byte length, so no two lists of fields give the same bytes (A07). */
function hashKey(name: string, account: string, parts: readonly KeyPart[]): string {
  let fields = 'fairlane key 1;';
  for (const part of [name, account, ...parts]) {
    const text = String(part);
    fields += `${typeof part} ${Buffer.byteLength(text)}:${text}`;
  }
  return hash('sha256', fields, 'hex');
}

function sameParts(one: readonly KeyPart[], other: readonly KeyPart[]): boolean {
  return one.length === other.length && one.every((part, at) => Object.is(part, other[at]));
}

function digest(contract: JobContract, payload: unknown): string {
  try {
    return Buffer.from(hash('sha256', canonicalJson(payload), 'hex').slice(0, 32), 'hex').toString(
      'base64url',
    );
  } catch (cause) {
    throw refused(contract, cause instanceof Error ? cause.message : 'not a JSON value', cause);
  }
}

function checkAccount(account: unknown, issues: PayloadIssue[]): void {
  const problem = textProblem(account, MAX_ACCOUNT_BYTES);
  if (problem !== undefined) issues.push({ path: '', message: `account ${problem}` });
  // A path such as /v1/accounts/.. is rewritten by every URL parser: such an account could never be read.
  else if (account === '.' || account === '..')
    issues.push({ path: '', message: 'account must not be "." or ".."' });
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  else if (/[\u0000-\u001f\u007f]/.test(account as string)) {
    issues.push({ path: '', message: 'account holds a control character' });
  }
}

function checkKey(parts: readonly unknown[], issues: PayloadIssue[]): void {
  if (parts.length === 0) issues.push({ path: '', message: 'key is empty' });
  if (parts.length > MAX_KEY_PARTS)
    issues.push({ path: '', message: `key has more than ${MAX_KEY_PARTS} parts` });
  let bytes = 0;
  for (const [index, part] of parts.slice(0, MAX_KEY_PARTS).entries()) {
    const problem = partProblem(part);
    if (problem !== undefined) issues.push({ path: '', message: `key part ${index + 1} ${problem}` });
    else bytes += Buffer.byteLength(String(part));
  }
  if (bytes > MAX_KEY_BYTES) issues.push({ path: '', message: `key is longer than ${MAX_KEY_BYTES} bytes` });
}

function partProblem(part: unknown): string | undefined {
  if (typeof part === 'boolean') return undefined;
  if (typeof part === 'number') return Number.isFinite(part) ? undefined : `is ${part}, not a finite number`;
  return textProblem(part, MAX_KEY_BYTES);
}

function checkTag(tag: unknown, issues: PayloadIssue[]): void {
  const problem = tag === undefined ? undefined : textProblem(tag, MAX_TAG_BYTES);
  if (problem !== undefined) issues.push({ path: '', message: `tag ${problem}` });
}

function textProblem(text: unknown, maxBytes: number): string | undefined {
  if (typeof text !== 'string') return `is ${text === null ? 'null' : typeof text}, not a string`;
  if (text === '') return 'is empty';
  if (Buffer.byteLength(text) > maxBytes) return `is longer than ${maxBytes} bytes`;
  // A lone surrogate becomes U+FFFD in UTF-8: two different texts would be one key.
  return /\p{Surrogate}/u.test(text) ? 'is not well-formed Unicode' : undefined;
}
