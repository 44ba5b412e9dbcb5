import type { IncomingMessage } from 'node:http';
import type { Principal, Role } from '@fairlane/runtime';
import type { z } from 'zod';
import type { AppContext } from '../context.js';
import type { ProblemCode } from './problems.js';

/** What a handler gets: input that its schemas accepted, from a caller that the table lets in. */
export interface Call<P = unknown, Q = unknown, B = unknown> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly principal: Principal;
  readonly requestId: string;
  readonly app: AppContext;
  /** The raw request, for routes that read their body as a stream. */
  readonly request: IncomingMessage;
}

/** JSON; or text of a type; or what is made while it is sent. */
export type Reply = { readonly status: number; readonly headers?: Readonly<Record<string, string>> } & (
  | { readonly body?: unknown }
  | { readonly type: string; readonly text: string }
  | { readonly type: string; readonly stream: AsyncIterable<string | Uint8Array> }
);

export interface ResponseSpec {
  readonly description: string;
  readonly type?: string;
  readonly schema?: z.ZodType;
  /** Another type that it may have instead; text then. */
  readonly alsoType?: string;
}

export interface Route<P = unknown, Q = unknown, B = unknown> {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters in braces, as in OpenAPI. */
  readonly path: string;
  readonly summary: string;
  /** The roles that may call it, `operator` named like the others; or `public`: without a token. */
  readonly access: 'public' | readonly Role[];
  /**
   * A token limited to accounts: `narrowed` = let in, the handler keeps to its accounts;
   * `refused` = the route shows or changes the whole deployment.
   */
  readonly accountTokens: 'narrowed' | 'refused';
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: BodySpec<B>;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Beyond those that every route can answer. */
  readonly errors: readonly ProblemCode[];
  handler(call: Call<P, Q, B>): Reply | Promise<Reply>;
}

export type BodySpec<B> =
  | {
      readonly kind: 'json';
      readonly schema: z.ZodType<B>;
      readonly invalid: ProblemCode;
      readonly maxBytes?: number;
    }
  /** Read by the handler. */
  | { readonly kind: 'bytes'; readonly description: string }
  | { readonly kind: 'ndjson'; readonly description: string };

/** Only ties the types of schemas and handler together. */
export function route<P, Q, B>(spec: Route<P, Q, B>): Route {
  return spec;
}
