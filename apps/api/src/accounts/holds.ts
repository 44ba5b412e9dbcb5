import { openIntervals, type GateView, type Window } from '@fairlane/lanes';
import type { AccountView, QueueSurroundings, Surroundings, Unhandled } from '@fairlane/queue';

/** What keeps jobs of an account from starting. Without `opensAt` nobody can say when it ends. */
export type Hold =
  | { readonly kind: 'paused' }
  | { readonly kind: 'queue_paused' | 'no_worker'; readonly queue: QueueSurroundings }
  | { readonly kind: 'no_handler'; readonly unhandled: Unhandled }
  | { readonly kind: 'window'; readonly opensAt: number }
  | {
      readonly kind: 'throttled' | 'rate_limit' | 'in_flight' | 'group_total';
      readonly gate: GateView;
      readonly opensAt?: number;
    };

/** All that holds an account: what needs a person first, then what opens last, since nothing starts before it. */
export function holdsOf(view: AccountView, around: Surroundings): Hold[] {
  const holds: Hold[] = [...queueHolds(around), ...gateHolds(view)];
  if (view.paused) holds.push({ kind: 'paused' });
  const opensAt = windowOpensAt(view, around.nowMs);
  if (opensAt !== undefined) holds.push({ kind: 'window', opensAt });
  return holds.toSorted((one, other) => weightOf(other) - weightOf(one));
}

function queueHolds({ queues, unhandled }: Surroundings): Hold[] {
  const holds: Hold[] = [];
  for (const queue of queues) {
    if (queue.isPaused) holds.push({ kind: 'queue_paused', queue });
    if (queue.workers === 0) holds.push({ kind: 'no_worker', queue });
  }
  if (unhandled !== null) holds.push({ kind: 'no_handler', unhandled });
  return holds;
}

function gateHolds(view: AccountView): Hold[] {
  // Where the total of a group is reached its lanes stay ready: what waits counts, not what is held.
  const waitingGroups = new Set(
    view.lanes.filter((lane) => lane.held + lane.ready > 0).map((lane) => lane.group),
  );
  return view.gates.flatMap((gate): Hold[] => {
    const { reason: kind, opensAt } = gate;
    // A pause or a window closes every gate; they are named once, for the whole account.
    if (kind === undefined || kind === 'paused' || kind === 'window' || !waitingGroups.has(gate.group)) {
      return [];
    }
    return [{ kind, gate, ...(opensAt === undefined ? {} : { opensAt }) }];
  });
}

/** Who must act for it to end, the one who can end most of it first. */
const NEED_A_PERSON: readonly Hold['kind'][] = ['no_handler', 'no_worker', 'queue_paused', 'paused'];

function weightOf(hold: Hold): number {
  // Another worker that runs already can take it: nobody needs to do anything.
  const isAtWork = hold.kind === 'no_handler' && hold.unhandled.able > 0;
  const person = isAtWork ? -1 : NEED_A_PERSON.indexOf(hold.kind);
  if (person >= 0) return Number.MAX_SAFE_INTEGER - NEED_A_PERSON.length + person;
  return ('opensAt' in hold ? hold.opensAt : undefined) ?? 0;
}

/** When the account's hours begin, where they are over now. */
function windowOpensAt({ windows }: AccountView, nowMs: number): number | undefined {
  if (!Array.isArray(windows)) return undefined;
  const [next] = openIntervals(windows as Window[], nowMs);
  return next && next[0] > nowMs ? next[0] : undefined;
}
