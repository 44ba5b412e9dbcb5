import { parsePayload, type JobContract } from '@fairlane/sdk';
import type { Principal } from '@fairlane/runtime';
import { mayTouch } from '../http/access.js';

/**
 * Whether a payload belongs to an account that the caller may not touch. One that does not parse belongs
 * to nobody: the producer then says what is wrong with it.
 */
export function isForeign(principal: Principal, contract: JobContract, payload: unknown): boolean {
  // Most tokens have no such limit, and parsing twice costs.
  if (principal.accounts === undefined) return false;
  const parsed = parsePayload(contract, payload);
  return parsed.ok && !mayTouch(principal, contract.account(parsed.payload));
}
