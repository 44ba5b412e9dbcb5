import { openIntervals, type GateView, type Window } from '@fairlane/lanes';
import type { AccountView } from '@fairlane/queue';
import { localTime, whenLocally } from './local-time.js';
import { presentLimits } from './present-limits.js';

/** What keeps jobs of an account from starting. Without `opensAt` nobody can say when it ends. */
interface Hold {
  readonly kind: 'paused' | 'window' | 'throttled' | 'rate_limit' | 'in_flight' | 'group_total';
  readonly opensAt?: number;
  readonly gate?: GateView;
}

/**
 * The answer to "why has nothing been sent?" for people who do not know the system: what happens, why, until
 * when, and who has to act. What needs a person leads; else what opens last, since nothing starts before it.
 */
export function explain(view: AccountView, nowMs = Date.now()): string {
  const waiting = view.counts.ready + view.counts.held;
  const [first, second, ...others] = holdsOf(view, nowMs);
  const { dead } = view.counts;
  const failed = dead > 0 && waiting + delayedOf(view) > 0 ? ` ${jobs(dead)} failed for good.` : '';
  if (first === undefined) return `${idleSentence(view, waiting, nowMs)}${failed}`;
  const more = others.length > 0 ? ` And ${others.length} more below.` : '';
  return `${leading(first, view, waiting, nowMs)}${following(second, first, view, nowMs)}${more}${failed}`;
}

function holdsOf(view: AccountView, nowMs: number): Hold[] {
  const holds: Hold[] = [];
  if (view.paused) holds.push({ kind: 'paused' });
  const opensAt = windowOpensAt(view, nowMs);
  if (opensAt !== undefined) holds.push({ kind: 'window', opensAt });
  // Where the total of a group is reached its lanes stay ready: what waits counts, not what is held.
  const waitingGroups = new Set(
    view.lanes.filter((lane) => lane.held + lane.ready > 0).map((lane) => lane.group),
  );
  for (const gate of view.gates) {
    const { reason: kind } = gate;
    // A pause or a window closes every gate; they are named once, for the whole account.
    if (kind === undefined || kind === 'paused' || kind === 'window' || !waitingGroups.has(gate.group))
      continue;
    holds.push({ kind, gate, ...(gate.opensAt === undefined ? {} : { opensAt: gate.opensAt }) });
  }
  return holds.toSorted((one, other) => weightOf(other) - weightOf(one));
}

function weightOf({ kind, opensAt }: Hold): number {
  return kind === 'paused' ? Number.MAX_VALUE : (opensAt ?? 0);
}

/** When the account's hours begin, where they are over now. */
function windowOpensAt({ windows }: AccountView, nowMs: number): number | undefined {
  if (!Array.isArray(windows)) return undefined;
  const [next] = openIntervals(windows as Window[], nowMs);
  return next && next[0] > nowMs ? next[0] : undefined;
}

/** A hold with the phrases that sentences about it are made of. */
interface Situation {
  readonly view: AccountView;
  readonly gate: GateView | undefined;
  /** When it opens: `at 14:03 (Paris)`, or that nobody can know. */
  readonly until: string;
  /** `512 jobs wait` */
  readonly wait: string;
  readonly when: (ms: number) => string;
  readonly at: (ms: number) => string;
}

const leadingSentences: Readonly<Record<Hold['kind'], (situation: Situation) => string>> = {
  paused: ({ view, wait, when }) => {
    const cause = view.paused
      ? `${view.paused.by} paused this account ${when(view.paused.at)}`
      : 'it is paused';
    return `Nothing starts because ${cause}; ${wait} until someone resumes it.`;
  },
  window: ({ until, wait }) => `Nothing starts until the hours of this account begin ${until}; ${wait}.`,
  throttled: ({ gate, until, wait }) =>
    `The provider behind ${gate?.group} asked us to slow down; ${wait} and can start again ${until}.`,
  rate_limit: ({ view, gate, until, wait, at }) => {
    const last = view.estimatedDrainAt === null ? '' : `, the last about ${at(view.estimatedDrainAt)}`;
    return `${wait} because this account may start ${rateOf(gate)}; the next goes ${until}${last}.`;
  },
  in_flight: ({ gate, wait }) => {
    const cap = gate?.limits.maxInFlight;
    const running =
      cap === 1 ? 'the one allowed at once is still running' : `all ${cap} allowed at once are still running`;
    return `${wait} because ${running}.`;
  },
  group_total: ({ gate, until, wait }) =>
    `This account is within its limits, but all accounts together reached the ${gate?.group} total; its next turn comes ${until}, and ${wait}.`,
};

function leading(hold: Hold, view: AccountView, waiting: number, nowMs: number): string {
  const when = (ms: number) => whenLocally(ms, nowMs, zoneOf(view));
  return leadingSentences[hold.kind]({
    view,
    gate: hold.gate,
    wait: waiting === 1 ? '1 job waits' : `${jobs(waiting)} wait`,
    until: hold.opensAt === undefined ? 'when that ends' : when(hold.opensAt),
    when,
    at: (ms) => localTime(ms, nowMs, zoneOf(view)),
  });
}

const followingPhrases: Readonly<Record<Hold['kind'], (gate: GateView | undefined) => string>> = {
  paused: () => 'the pause still holds',
  window: () => 'the hours of the account still hold',
  throttled: (gate) => `the provider behind ${gate?.group} still holds`,
  rate_limit: (gate) => `the limit of ${rateOf(gate)} still holds`,
  in_flight: () => 'the jobs that run still hold',
  group_total: (gate) => `the ${gate?.group} total of all accounts still holds`,
};

function following(hold: Hold | undefined, first: Hold, view: AccountView, nowMs: number): string {
  if (hold === undefined) return '';
  const until = hold.opensAt === undefined ? '' : ` until ${localTime(hold.opensAt, nowMs, zoneOf(view))}`;
  const start = first.kind === 'paused' ? 'Once resumed' : 'Before that';
  return ` ${start}, ${followingPhrases[hold.kind](hold.gate)} it${until}.`;
}

/** Nothing holds the account: it works, waits for a worker or a time, or has nothing to do. */
function idleSentence(view: AccountView, waiting: number, nowMs: number): string {
  const { active, dead } = view.counts;
  const delayed = delayedOf(view);
  const when = (ms: number) => whenLocally(ms, nowMs, zoneOf(view));
  if (waiting > 0) {
    return `No limit applies: ${jobs(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for a free worker.`;
  }
  if (delayed > 0) {
    const first = view.nextRunAt === null ? '' : `, the first ${when(view.nextRunAt)}`;
    return `Nothing is due: ${jobs(delayed)} ${delayed === 1 ? 'is' : 'are'} scheduled or will be tried again${first}.`;
  }
  if (active > 0) return `${jobs(active)} ${active === 1 ? 'is' : 'are'} running and nothing waits.`;
  if (dead > 0) return `Nothing is waiting: ${jobs(dead)} failed for good.`;
  if (view.lastCompletedAt === null) return 'Nothing is waiting, and nothing has run yet.';
  return `Nothing is waiting; the last job succeeded ${when(view.lastCompletedAt)}.`;
}

function delayedOf({ counts }: AccountView): number {
  return counts.scheduled + counts.retrying;
}

/** The zone people of the account think in: that of its hours. */
function zoneOf({ windows }: AccountView): string {
  return (Array.isArray(windows) ? (windows as Window[])[0]?.zone : undefined) ?? 'UTC';
}

const unitNames: Readonly<Record<number, string>> = {
  1_000: 'a second',
  60_000: 'a minute',
  3_600_000: 'an hour',
  86_400_000: 'a day',
};

function rateOf(gate: GateView | undefined): string {
  const { limit, perMs } = gate ? presentLimits(gate.limits) : { limit: null, perMs: null };
  if (limit === null || perMs === null) return 'no more';
  return `${grouped(limit)} ${unitNames[perMs] ?? `every ${grouped(perMs / 1000)} seconds`}`;
}

function jobs(count: number): string {
  return count === 1 ? '1 job' : `${grouped(count)} jobs`;
}

function grouped(value: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: 3 });
}
