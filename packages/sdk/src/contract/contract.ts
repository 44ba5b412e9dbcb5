import type { z } from 'zod';

/** A part of a business key. `1` and `'1'` are different keys. */
export type KeyPart = string | number | boolean;

/** When and how often a failed job is tried again. All times in milliseconds. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** The first retry waits `uniform(0, baseMs)`; the range doubles with every attempt. */
  readonly baseMs: number;
  /** The range never grows above this. */
  readonly capMs: number;
  /** A Retry-After of the outside is honoured up to this. */
  readonly maxRetryAfterMs: number;
  /** A job that is only ever throttled is dead with `throttled` after this. */
  readonly maxDeferMs: number;
}

/** What a contract that says nothing of retries gets: 8 attempts, full jitter from 5 s up to 15 min, a day of deferral. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = Object.freeze({
  attempts: 8,
  baseMs: 5_000,
  capMs: 900_000,
  maxRetryAfterMs: 86_400_000,
  maxDeferMs: 86_400_000,
});

/** What a second job of the same key but another payload is answered: refused, or taken for the first. */
export type OnConflict = 'reject' | 'first';

/** Reads a payload of the version it is filed under and gives one of the next version. */
export type PayloadUpgrade = (old: unknown) => unknown;

/** The argument of `defineJob`. */
export interface JobDefinition<N extends string, S extends z.ZodType> {
  /** Two or more lower-case words joined by dots, such as `outreach.send`; unique in a catalogue. */
  readonly name: N;
  /** Version of the payload's shape, counted from 1. Default 1. */
  readonly version?: number;
  /** Shape of the payload: JSON values only. Fields marked `.meta({ sensitive: true })` are masked for people. */
  readonly payload: S;
  /** The customer the job belongs to. Always part of the key. */
  readonly account: (payload: z.output<S>) => string;
  /** Identity of the work within its account and job name. The same payload must always give the same key. */
  readonly key: (payload: z.output<S>) => KeyPart | readonly KeyPart[];
  /** Outside system whose limits apply. Default `default`. */
  readonly limitGroup?: string | ((payload: z.output<S>) => string);
  /** Left out: the routing rules decide. */
  readonly queue?: string;
  /** Label such as a campaign, to find jobs by. */
  readonly tag?: (payload: z.output<S>) => string | undefined;
  /** Stored files that the payload names (`blob:...`): checked when the job is enqueued, kept as long as the job. */
  readonly sources?: (payload: z.output<S>) => readonly string[];
  /** 0 (first) to 2,097,151, within the account's lane. Default 0. */
  readonly priority?: number;
  /** Tokens one start takes from its gate. Default 1. */
  readonly cost?: number;
  /** How long one attempt may run before its signal aborts. Default 30,000. */
  readonly timeoutMs?: number;
  /** Default `reject`. */
  readonly onConflict?: OnConflict;
  /** Fields left out take the defaults of {@link DEFAULT_RETRY_POLICY}. */
  readonly retry?: Partial<RetryPolicy>;
  /** `{ 1: (old) => new }`: how payloads stored under version 1 become payloads of version 2, and so on. */
  readonly upgrades?: Readonly<Record<number, PayloadUpgrade>>;
}

/**
 * What producers and workers agree on about one kind of job. Made by `defineJob`, frozen.
 *
 * The functions of the payload are declared as methods: TypeScript compares those bivariantly, so that every
 * contract fits {@link JobContract} without arguments, as catalogues and routing need it.
 */
export interface JobContract<N extends string = string, S extends z.ZodType = z.ZodType> {
  readonly name: N;
  readonly version: number;
  readonly payload: S;
  account(payload: z.output<S>): string;
  key(payload: z.output<S>): readonly KeyPart[];
  limitGroup(payload: z.output<S>): string;
  readonly queue?: string;
  tag?(payload: z.output<S>): string | undefined;
  sources?(payload: z.output<S>): readonly string[];
  readonly priority: number;
  readonly cost: number;
  readonly timeoutMs: number;
  readonly onConflict: OnConflict;
  readonly retry: RetryPolicy;
  readonly upgrades: Readonly<Record<number, PayloadUpgrade>>;
}

/** The payload a producer hands in for a contract. */
export type PayloadInput<C extends JobContract> = z.input<C['payload']>;
/** The payload a handler of a contract gets: parsed, defaults filled in. */
export type Payload<C extends JobContract> = z.output<C['payload']>;
