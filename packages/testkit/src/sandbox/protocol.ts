import { z } from 'zod';

/**
 * What a platform offers to make a repeated request safe: `keys` honours `Idempotency-Key`, `lookup` can be
 * asked for a reference, `blind` does neither.
 */
export const ACCOUNT_KINDS = ['keys', 'lookup', 'blind'] as const;
export type AccountKind = (typeof ACCOUNT_KINDS)[number];

const probability = z.number().min(0).max(1);

export const rateLimitSchema = z.object({
  limit: z.number().positive().max(1e9),
  perMs: z.number().positive().max(1e12),
  burst: z.number().positive().max(1e9),
});
export type RateLimit = z.infer<typeof rateLimitSchema>;

/** Each a probability per request, except where the comment says otherwise. */
export const faultsSchema = z.object({
  /** Answers 429; nothing is applied. */
  rate429: probability.default(0),
  /** Answers 500, 502, 503 or 504; all but the 503 may have been applied. */
  rate500: probability.default(0),
  /** Never answers; the message may have been applied. */
  stall: probability.default(0),
  /** Closes the connection without an answer, before the message is applied. */
  cutBefore: probability.default(0),
  /** Closes the connection without an answer, after the message was applied. */
  cutAfter: probability.default(0),
  /** Share of the 429 and 503 that carry `Retry-After`, one half in seconds, one half as an HTTP date. */
  retryAfter: probability.default(1),
  /** Share of the leads that are gone (404 for good). */
  gone: probability.default(0),
  /** Share of the references that are refused (422 for good). */
  invalid: probability.default(0),
});
export type Faults = z.infer<typeof faultsSchema>;
/** `faults` as a caller writes it: what is left out is 0. */
export type FaultsInput = z.input<typeof faultsSchema>;

function sumsToAtMostOne(faults: Faults): boolean {
  return faults.rate429 + faults.rate500 + faults.stall + faults.cutBefore + faults.cutAfter <= 1;
}

export const accountPatchSchema = z.object({
  account: z.string().min(1).max(256),
  kind: z.enum(ACCOUNT_KINDS).optional(),
  limit: rateLimitSchema.nullable().optional(),
  faults: faultsSchema
    .refine(sumsToAtMostOne, 'rate429, rate500, stall, cutBefore and cutAfter exclude each other: sum <= 1')
    .optional(),
  revoked: z.boolean().optional(),
  /** Seed of this account's faults; the platform's own when left out. */
  seed: z.number().int().optional(),
  /** How long an applied message stays invisible to a look-up. */
  lookupLagMs: z.number().int().min(0).max(3_600_000).optional(),
});
/** One account to create or change: what is left out keeps its value, or its default in a new account. */
export type AccountPatch = z.infer<typeof accountPatchSchema>;
export type AccountPatchInput = z.input<typeof accountPatchSchema>;

export const accountPatchesSchema = z.union([
  accountPatchSchema,
  z.array(accountPatchSchema).min(1).max(20_000),
]);

export interface AccountView {
  account: string;
  kind: AccountKind;
  limit: RateLimit | null;
  revoked: boolean;
}

const shortText = z.string().min(1).max(512);
const counter = z.union([z.number().int(), shortText]);

export const messageSchema = z.object({
  reference: shortText,
  leadId: shortText,
  step: counter,
  campaignRev: counter,
  channel: shortText,
  to: shortText,
  body: z.string().max(100_000),
});
export type Message = z.infer<typeof messageSchema>;

export interface ReferenceReport {
  requests: number;
  applied: number;
  /** Status of the last answer; 0 when there was none (a stall or a cut). */
  lastStatus: number;
  /** Whether any outcome was one that the caller could not know. */
  ambiguous: boolean;
}

export interface SandboxReport {
  requests: number;
  applied: number;
  /** Times a message was applied although its reference had been applied before. */
  repeated: number;
  /** Requests beyond burst + rate x (T + 0.5 s) of their account in some interval T. */
  violations: number;
  /** Null while no account had work for long enough. */
  achievedFraction: number | null;
  /** References that can only end dead. */
  expectedDead: number;
  byReference?: Record<string, ReferenceReport>;
}
