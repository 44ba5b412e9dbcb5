import type { Principal } from '@fairlane/runtime';
import type { BulkOperation } from '@fairlane/queue';

/** Whoever has asked for an operation may ask about it; an operator of all accounts may about any. */
export function isReachable({ id, role, accounts }: Principal, { by }: BulkOperation): boolean {
  return by === id || (role === 'operator' && accounts === undefined);
}
