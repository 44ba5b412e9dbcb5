import type { Window } from '@fairlane/lanes';
import type { AccountView, QueueSurroundings, Surroundings } from '@fairlane/queue';
import { holdsOf, type Hold } from './holds.js';
import { localTime, whenLocally } from './local-time.js';
import { jobs, mainCause, rateOf, wait } from './phrases.js';

/**
 * The answer to "why has nothing been sent?" for people who do not know the system: what happens, why, until
 * when, and who has to act. What needs a person leads; else what opens last, since nothing starts before it. Jobs that
 * failed for good while others wait are a second line. Times are told by the clock that opens the gates, Redis'.
 */
export function explain(view: AccountView, around: Surroundings): string {
  const { nowMs } = around;
  const [first, second, ...others] = holdsOf(view, around);
  if (first === undefined) {
    if (isEmpty(view)) return emptySentence(view, around);
    return lines(openSentence(view, around), deadSentences(view, around));
  }
  const more = others.length > 0 ? ` And ${others.length} more below.` : '';
  const held = `${leading(first, view, nowMs)}${following(second, first, view, nowMs)}${more}`;
  const told = waitingOf(view) === 0 ? `${held} ${idleSentence(view, around)}` : held;
  return lines(told, deadSentences(view, around));
}

function lines(...told: readonly string[]): string {
  return told.filter((line) => line !== '').join('\n');
}

/** A hold with the phrases that sentences about it are made of. */
interface Phrases {
  readonly view: AccountView;
  /** `512 jobs wait` */
  readonly waiting: string;
  /** `at 14:03 (Paris)`, `on Monday at 09:00 (Paris)` */
  readonly when: (ms: number) => string;
  /** `14:03 (Paris)` */
  readonly at: (ms: number) => string;
}

function leading(hold: Hold, view: AccountView, nowMs: number): string {
  const zone = zoneOf(view);
  return leadingSentence(hold, {
    view,
    waiting: wait(waitingOf(view)),
    when: (ms) => whenLocally(ms, nowMs, zone),
    at: (ms) => localTime(ms, nowMs, zone),
  });
}

function leadingSentence(hold: Hold, { view, waiting, when, at }: Phrases): string {
  const isIdle = waitingOf(view) === 0;
  const until = (opensAt: number | undefined) => (opensAt === undefined ? 'when that ends' : when(opensAt));
  switch (hold.kind) {
    case 'paused': {
      const cause = view.paused
        ? `${view.paused.by} paused this account ${when(view.paused.at)}`
        : 'it is paused';
      return `Nothing starts because ${cause}${isIdle ? ',' : `; ${waiting}`} until someone resumes it.`;
    }
    case 'queue_paused':
      return `The queue "${hold.queue.queue}" is paused for every account; ${wait(hold.queue.waiting)} there until someone resumes it.`;
    case 'no_worker': {
      const { queue, servedAtMs, waiting: count } = hold.queue;
      const since =
        servedAtMs === null
          ? `no worker serves "${queue}"`
          : `no worker has served "${queue}" since ${at(servedAtMs)}`;
      return `Nothing can start because ${since}; ${wait(count)}: tell the on-call.`;
    }
    case 'no_handler': {
      const { waiting: count, name, version, able } = hold.unhandled;
      if (able > 0)
        return `${wait(count)} for one of the workers that can handle ${name} version ${version}.`;
      return `${wait(count)} because no running worker can handle ${name} version ${version}; a deployment is needed.`;
    }
    case 'window':
      return `Nothing starts until the hours of this account begin ${when(hold.opensAt)}${isIdle ? '' : `; ${waiting}`}.`;
    case 'throttled':
      return `The provider behind ${hold.gate.group} asked us to slow down; ${waiting} and can start again ${until(hold.opensAt)}.`;
    case 'rate_limit': {
      const isOnly = waitingOf(view) === 1;
      const last =
        isOnly || view.estimatedDrainAt === null ? '' : `, the last about ${at(view.estimatedDrainAt)}`;
      return `${waiting} because this account may start ${rateOf(hold.gate)}; ${isOnly ? 'it' : 'the next'} goes ${until(hold.opensAt)}${last}.`;
    }
    case 'in_flight': {
      const cap = hold.gate.limits.maxInFlight;
      const running = cap === 1 ? 'the one allowed at once is' : `all ${cap} allowed at once are`;
      return `${waiting} because ${running} still running.`;
    }
    default:
      return `This account is within its limits, but all accounts together reached the ${hold.gate.group} total; its next turn comes ${until(hold.opensAt)}, and ${waiting}.`;
  }
}

function following(hold: Hold | undefined, first: Hold, view: AccountView, nowMs: number): string {
  if (hold === undefined) return '';
  const opensAt = 'opensAt' in hold ? hold.opensAt : undefined;
  const until = opensAt === undefined ? '' : ` until ${localTime(opensAt, nowMs, zoneOf(view))}`;
  return ` ${startOf(first)}, ${stillHolds(hold)}${until}.`;
}

function startOf({ kind }: Hold): string {
  if (kind === 'paused' || kind === 'queue_paused') return 'Once resumed';
  return kind === 'no_worker' || kind === 'no_handler' ? 'Even then' : 'Before that';
}

function stillHolds(hold: Hold): string {
  switch (hold.kind) {
    case 'paused':
      return 'the pause still holds it';
    case 'queue_paused':
      return `the pause of the queue "${hold.queue.queue}" still holds it`;
    case 'no_worker':
      return `"${hold.queue.queue}" still has no worker`;
    case 'no_handler':
      return `${jobs(hold.unhandled.waiting)} still need a worker that can handle ${hold.unhandled.name} version ${hold.unhandled.version}`;
    case 'window':
      return 'the hours of the account still hold it';
    case 'throttled':
      return `the provider behind ${hold.gate.group} still holds it`;
    case 'rate_limit':
      return `the limit of ${rateOf(hold.gate)} still holds it`;
    case 'in_flight':
      return 'the jobs that run still hold it';
    default:
      return `the ${hold.gate.group} total of all accounts still holds it`;
  }
}

/** Nothing holds the account: it works, waits for a turn or a time. */
function openSentence(view: AccountView, { queues, retrying, nowMs }: Surroundings): string {
  const { active } = view.counts;
  if (waitingOf(view) > 0) return `${turnSentence(view, queues)}${triedAgain(view, retrying)}`;
  const delayed = delayedOf(view);
  if (delayed > 0) {
    const when = view.nextRunAt === null ? '' : ` ${whenLocally(view.nextRunAt, nowMs, zoneOf(view))}`;
    const first = delayed === 1 || when === '' ? when : `, the first${when}`;
    const { phrase, reason } = delayedPhrase(view, retrying);
    return `Nothing is due: ${jobs(delayed)} ${phrase}${first}.${reason}`;
  }
  return `${jobs(active)} ${active === 1 ? 'is' : 'are'} running and nothing waits.`;
}

function turnSentence(view: AccountView, queues: readonly QueueSurroundings[]): string {
  const { counts } = view;
  const waiting = wait(waitingOf(view));
  const busy = queues.find(({ active, slots }) => active >= slots && slots > 0);
  if (busy === undefined) return `No limit applies: ${waiting} for the next free slot.`;
  const slots = busy.slots === 1 ? 'the only slot' : `all ${busy.slots} slots`;
  const doing = counts.active > 0 ? 'are busy' : 'serve other accounts';
  const verb = busy.slots === 1 ? doing.replace('are', 'is').replace('serve', 'serves') : doing;
  return `No limit applies: ${waiting} for a turn while ${slots} ${verb}.`;
}

/** Slots that are busy with attempts that fail are no lack of workers: jobs beside those that wait say so. */
function triedAgain({ counts }: AccountView, around: Surroundings['retrying']): string {
  if (counts.retrying === 0) return '';
  const { phrase, reason } = retryingPhrase(counts.retrying, around);
  return ` ${counts.retrying} more ${phrase}.${reason}`;
}

interface Delayed {
  readonly phrase: string;
  readonly reason: string;
}

function delayedPhrase(
  { counts: { scheduled, retrying } }: AccountView,
  around: Surroundings['retrying'],
): Delayed {
  if (scheduled === 0) return retryingPhrase(retrying, around);
  const others = retrying > 0 ? ' or will be tried again' : '';
  return { phrase: `${scheduled + retrying === 1 ? 'is' : 'are'} scheduled${others}`, reason: '' };
}

function retryingPhrase(retrying: number, { failed, putOff, reason }: Surroundings['retrying']): Delayed {
  const again = 'will be tried again';
  if (failed >= retrying) return { phrase: `failed and ${again}`, reason: '' };
  // Of many only some were looked at.
  if (putOff < retrying) return { phrase: `failed or were put off, and ${again}`, reason: '' };
  return {
    phrase: `${putOff === 1 ? 'was' : 'were'} put off and ${again}`,
    reason: reason === null ? '' : ` Reason given: ${reason}`,
  };
}

/** Nothing waits and nothing runs. */
function emptySentence(view: AccountView, around: Surroundings): string {
  if (view.counts.dead > 0) {
    const unknown = unknownSentence(view, around);
    const failed = failedSentence(view, around);
    if (unknown !== '') return lines(unknown, failed);
    return `Nothing is waiting: ${failed}`;
  }
  return lastSentence(view, around);
}

/** What there is beside a hold that keeps nothing now. The dead are told of in their own line. */
function idleSentence(view: AccountView, around: Surroundings): string {
  return isEmpty(view) ? lastSentence(view, around) : openSentence(view, around);
}

function lastSentence(view: AccountView, { nowMs }: Surroundings): string {
  const { lastCompletedAt, counts } = view;
  if (lastCompletedAt !== null) {
    return `Nothing is waiting; the last job succeeded ${whenLocally(lastCompletedAt, nowMs, zoneOf(view))}.`;
  }
  return counts.dead > 0 ? 'Nothing is waiting.' : 'Nothing is waiting, and no job has succeeded yet.';
}

function deadSentences(view: AccountView, around: Surroundings): string {
  if (view.counts.dead === 0) return '';
  return [unknownSentence(view, around), failedSentence(view, around)]
    .filter((text) => text !== '')
    .join(' ');
}

/** Jobs whose effect nobody could tell of. */
function unknownSentence({ counts }: AccountView, { deadCodes }: Surroundings): string {
  const unknown = deadCodes.get('unknown_outcome') ?? 0;
  if (unknown === 0) return '';
  const isAll = totalOf(deadCodes) >= counts.dead;
  const few = unknown === 1 ? 'it is' : 'they are';
  return `${isAll ? '' : 'At least '}${jobs(unknown)} may have been carried out; ${few} not repeated until a person decides.`;
}

function failedSentence({ counts }: AccountView, { deadCodes }: Surroundings): string {
  const failed = counts.dead - (deadCodes.get('unknown_outcome') ?? 0);
  if (failed <= 0) return '';
  return `${jobs(failed)} failed for good${mainCause(deadCodes, totalOf(deadCodes) >= counts.dead)}.`;
}

function totalOf(codes: ReadonlyMap<string, number>): number {
  return [...codes.values()].reduce((sum, count) => sum + count, 0);
}

/** Nothing waits, is due later or runs. */
function isEmpty(view: AccountView): boolean {
  return waitingOf(view) + delayedOf(view) + view.counts.active === 0;
}

function waitingOf({ counts }: AccountView): number {
  return counts.ready + counts.held;
}

function delayedOf({ counts }: AccountView): number {
  return counts.scheduled + counts.retrying;
}

/** The zone people of the account think in: that of its hours. */
function zoneOf({ windows }: AccountView): string {
  return (Array.isArray(windows) ? (windows as Window[])[0]?.zone : undefined) ?? 'UTC';
}
