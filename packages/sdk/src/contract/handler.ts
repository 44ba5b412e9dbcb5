import type { z } from 'zod';
import type { JobContract } from './contract.js';
import type { ErrorTranslation } from '../errors/classify-error.js';

/** Takes a message, or fields and a message. */
export interface LogMethod {
  (fields: object, message?: string): void;
  (message: string): void;
}

/** Logger that already carries the job's id, name, account and attempt. */
export interface JobLogger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
}

/** The job as its handler sees it. */
export interface JobInfo {
  readonly id: string;
  /** Business key: sha256, 64 hex digits. */
  readonly key: string;
  readonly name: string;
  readonly version: number;
  readonly queue: string;
  readonly account: string;
  readonly limitGroup: string;
  readonly tag?: string;
}

/** What `perform` and `alreadyApplied` are called with. */
export interface EffectCall {
  /** Job key + `:` + effect name; the same on every attempt, to be sent where the outside honours such keys. */
  readonly idempotencyKey: string;
  /** The job's key, to be stored outside so that it can be asked for later. */
  readonly reference: string;
  /** Aborts when the effect's time is up, the job is cancelled or the lease is lost. */
  readonly signal: AbortSignal;
}

/** A side effect that must happen once. */
export interface EffectOptions<T> {
  /** Does it. The result is stored and must be JSON; a retry of the job gets it back without performing again. */
  readonly perform: (call: EffectCall) => Promise<T>;
  /**
   * Asks the outside whether it was done: the result, `undefined` for "no", an error for "cannot tell now", or
   * `UnknownOutcomeError` for "can never be told". Asked only when an earlier attempt left no outcome.
   */
  readonly alreadyApplied?: (call: EffectCall) => Promise<NoInfer<T> | undefined>;
  /** The outside drops repeats of one idempotency key for this long. */
  readonly repeatable?: { readonly keyTtlMs: number };
  /** Time for one `perform`. Default: what is left of the attempt. */
  readonly timeoutMs?: number;
  /** How long after the time-out a request may still be applied; a "no" counts only after that. Default 5,000. */
  readonly settleMs?: number;
}

/**
 * Guards a side effect. `name` is unique within a handler and must not change between releases.
 *
 * @throws UnknownOutcomeError when an earlier attempt may have applied it and nobody can tell.
 */
export type Effect = <T>(name: string, options: EffectOptions<T>) => Promise<T>;

/** What a handler gets beside its payload, for one attempt. */
export interface HandlerContext {
  readonly job: JobInfo;
  /** Counted from 1. */
  readonly attempt: number;
  /** Aborts on time-out, cancel, lost lease and forced shutdown. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  readonly logger: JobLogger;
  /** Records progress for people: a number (per cent) or a small object. */
  readonly progress: (value: number | object) => Promise<void>;
  readonly effect: Effect;
}

/** Does the work of one attempt; what it returns is stored as the job's result and must be JSON. */
export type Handler<S extends z.ZodType, R = unknown> = (
  payload: z.output<S>,
  context: HandlerContext,
) => Promise<R>;

/** Third argument of {@link implement}. */
export interface ImplementOptions {
  readonly translateError?: ErrorTranslation;
}

/** A contract with its handler, as workers take it. `run` is a method for the reason given at `JobContract`. */
export interface JobImplementation<N extends string = string, S extends z.ZodType = z.ZodType, R = unknown> {
  readonly contract: JobContract<N, S>;
  run(payload: z.output<S>, context: HandlerContext): Promise<R>;
  readonly translateError?: ErrorTranslation;
}

/**
 * Joins a contract with the handler that does its work.
 *
 * @example
 * export const handler = implement(invoicePrint, async (payload, ctx) => {
 *   const page = await ctx.effect('print', { perform: ({ signal }) => printer.print(payload.invoiceId, { signal }) });
 *   return { pages: page.count };
 * });
 * @example
 * implement(invoicePay, pay, {
 *   translateError: (error) =>
 *     error instanceof CardError ? new PermanentError({ reason: 'The card was declined.', cause: error }) : undefined,
 * });
 */
export function implement<N extends string, S extends z.ZodType, R>(
  contract: JobContract<N, S>,
  handler: Handler<S, R>,
  { translateError }: ImplementOptions = {},
): JobImplementation<N, S, R> {
  return Object.freeze({
    contract,
    run: handler,
    ...(translateError === undefined ? {} : { translateError }),
  });
}
