import type { IncomingMessage } from 'node:http';
import {
  bearerToken,
  createTokenVerifier,
  retryAfter,
  type Principal,
  type TokenRecord,
} from '@fairlane/runtime';
import { ipKeyGenerator, MemoryStore } from 'express-rate-limit';
import { Problem } from './problems.js';
import type { Route } from './route.js';

const failureWindowMs = 60_000;
/** Wrong tokens from one address within the window; then 429 instead of 401. */
const maxFailures = 30;

/** Callers of public routes: no role fits them and no account is theirs. */
const nobody: Principal = { id: 'anonymous', role: 'viewer', accounts: new Set() };

/**
 * The one place that decides who may call what. Only failures are counted, so that a good token costs
 * nothing and a neighbour behind the same address cannot lock it out.
 */
export function createAccessControl(tokens: readonly TokenRecord[]) {
  const verify = createTokenVerifier(tokens);
  const failures = new MemoryStore();
  failures.init({ windowMs: failureWindowMs } as Parameters<MemoryStore['init']>[0]);

  function callerOf(request: IncomingMessage): Principal | undefined {
    const token = bearerToken(request.headers.authorization);
    return token === undefined ? undefined : verify(token);
  }

  async function turnAway(request: IncomingMessage): Promise<never> {
    const { totalHits, resetTime } = await failures.increment(
      ipKeyGenerator(request.socket.remoteAddress ?? ''),
    );
    if (totalHits > maxFailures) {
      const waitMs = resetTime ? resetTime.getTime() - Date.now() : failureWindowMs;
      throw new Problem('too_many_attempts', { headers: retryAfter(waitMs) });
    }
    throw new Problem('unauthenticated', { headers: { 'www-authenticate': 'Bearer' } });
  }

  return {
    /** A problem for whoever shows no valid token. */
    async authenticate(request: IncomingMessage): Promise<void> {
      if (callerOf(request) === undefined) await turnAway(request);
    },
    /** The caller of `route`, or a problem. */
    async admit(route: Route, request: IncomingMessage): Promise<Principal> {
      if (route.access === 'public') return nobody;
      const principal = callerOf(request) ?? (await turnAway(request));
      if (!route.access.includes(principal.role)) {
        throw new Problem('forbidden', { detail: `This needs one of the roles ${route.access.join(', ')}.` });
      }
      if (principal.accounts !== undefined && route.accountTokens === 'refused') {
        throw new Problem('account_forbidden', {
          detail: 'This needs a token that is not limited to accounts.',
        });
      }
      return principal;
    },
    close: () => failures.shutdown(),
  };
}

export type AccessControl = ReturnType<typeof createAccessControl>;

/** Whether a caller may touch an account. */
export function mayTouch(principal: Principal, account: string): boolean {
  return principal.accounts === undefined || principal.accounts.has(account);
}
