import type { z } from 'zod';
import type { JobContract } from '../contract/contract.js';
import { PayloadError, VersionAheadError, type PayloadIssue } from '../errors/errors.js';

/** Most issues reported for one payload. */
export const MAX_ISSUES = 20;

const UNCHECKABLE: PayloadIssue = { path: '', message: 'the payload could not be checked' };

/** A payload that fits its contract, or every reason why it does not, with paths. */
export type ParsedPayload<S extends z.ZodType> =
  | { readonly ok: true; readonly payload: z.output<S> }
  | { readonly ok: false; readonly issues: readonly PayloadIssue[] };

/** Checks what a producer hands in against the contract, without throwing. */
export function parsePayload<N extends string, S extends z.ZodType>(
  contract: JobContract<N, S>,
  value: unknown,
): ParsedPayload<S> {
  const parsed = safeParse(contract.payload, value);
  if (parsed === undefined) return { ok: false, issues: [UNCHECKABLE] };
  if (parsed.success) return { ok: true, payload: parsed.data };
  return { ok: false, issues: issuesOf(parsed.error) };
}

/** Undefined where checking itself fails: nesting that exhausts the stack, a refinement that throws. */
function safeParse<S extends z.ZodType>(
  schema: S,
  value: unknown,
): z.ZodSafeParseResult<z.output<S>> | undefined {
  try {
    return schema.safeParse(value);
  } catch {
    return undefined;
  }
}

/**
 * Reads a stored payload: upgrades one of an older version step by step, then checks it.
 *
 * @throws VersionAheadError when it was stored by a newer contract, PayloadError when it cannot be read.
 */
export function readStoredPayload<N extends string, S extends z.ZodType>(
  contract: JobContract<N, S>,
  version: number,
  stored: unknown,
): z.output<S> {
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new PayloadError(contract.name, [{ path: '', message: `${String(version)} is no version` }]);
  }
  if (version > contract.version) throw new VersionAheadError(contract.name, version, contract.version);
  let value = stored;
  for (let from = version; from < contract.version; from += 1) {
    const upgrade = contract.upgrades[from];
    if (upgrade === undefined) {
      throw new PayloadError(contract.name, [{ path: '', message: `no upgrade from version ${from}` }]);
    }
    try {
      value = upgrade(value);
    } catch (cause) {
      const issue = { path: '', message: `the upgrade from version ${from} failed` };
      throw new PayloadError(contract.name, [issue], { cause });
    }
  }
  const parsed = parsePayload(contract, value);
  if (!parsed.ok) throw new PayloadError(contract.name, parsed.issues);
  return parsed.payload;
}

/** What a schema has found wrong, at most {@link MAX_ISSUES}. */
export function issuesOf({ issues }: Pick<z.ZodError, 'issues'>): PayloadIssue[] {
  return issues
    .slice(0, MAX_ISSUES)
    .map((issue) => ({ path: formatPath(issue.path), message: messageOf(issue) }));
}

const NO_MESSAGE = 'Invalid input';

/** Of a value that fits none of several schemas zod says no more than that: here what each of them found first. */
function messageOf(issue: z.ZodError['issues'][number]): string {
  if (issue.code !== 'invalid_union' || issue.message !== NO_MESSAGE || issue.errors.length === 0)
    return issue.message;
  const first = issue.errors.flatMap(([found]) => found?.message ?? []);
  return [...new Set(first)].join(', or ');
}

/** `['contacts', 0, 'phone']` becomes `contacts[0].phone`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}
