import { rollDice } from './dice.js';
import type { Faults, Message } from './protocol.js';

/** What the platform does with one request, decided before anything is applied. */
export type Verdict =
  | { kind: 'accept' }
  /** A refusal for good. */
  | { kind: 'refuse'; status: 401 | 404 | 422; code: string }
  /** A refusal for now: nothing is applied. */
  | { kind: 'throttle'; status: 429 | 503; retryAfter: RetryAfter | undefined }
  | { kind: 'fail'; status: 500 | 502 | 504; applied: boolean }
  | { kind: 'stall'; applied: boolean }
  | { kind: 'cut'; applied: boolean };

export interface RetryAfter {
  form: 'seconds' | 'date';
  seconds: number;
}

export interface Terms {
  account: string;
  seed: number;
  faults: Faults;
  revoked: boolean;
}

/** A refusal for good belongs to the account, the lead or the reference, so every request meets it again. */
export function refusal(terms: Terms, message: Message): Verdict | undefined {
  const { account, seed, faults } = terms;
  if (terms.revoked) return { kind: 'refuse', status: 401, code: 'revoked' };

  const leadIsGone = rollDice(seed, 'lead', account, message.leadId)(0) < faults.gone;
  if (leadIsGone || /^gone\b/.test(message.to)) return { kind: 'refuse', status: 404, code: 'lead_gone' };

  const isInvalid = rollDice(seed, 'reference', account, message.reference)(0) < faults.invalid;
  if (isInvalid || /^invalid\b/.test(message.to)) return { kind: 'refuse', status: 422, code: 'invalid' };
  return undefined;
}

/** The `nth` request of a reference has its own draw, so that a retry can go better or worse. */
export function decide(terms: Terms, message: Message, nth: number): Verdict {
  const refused = refusal(terms, message);
  if (refused !== undefined) return refused;

  const { rate429, rate500, stall, cutBefore, cutAfter } = terms.faults;
  const dice = rollDice(terms.seed, 'request', terms.account, message.reference, nth);
  const applied = dice(1) < 0.5;
  let rest = dice(0);
  const hits = (rate: number) => (rest -= rate) < 0;

  if (hits(rate429))
    return { kind: 'throttle', status: 429, retryAfter: retryAfter(terms, dice(3), dice(4)) };
  if (hits(rate500)) {
    const status = ([500, 502, 503, 504] as const)[Math.floor(dice(2) * 4)] ?? 500;
    if (status === 503) return { kind: 'throttle', status, retryAfter: retryAfter(terms, dice(3), dice(4)) };
    return { kind: 'fail', status, applied };
  }
  if (hits(stall)) return { kind: 'stall', applied };
  if (hits(cutBefore)) return { kind: 'cut', applied: false };
  if (hits(cutAfter)) return { kind: 'cut', applied: true };
  return { kind: 'accept' };
}

function retryAfter(terms: Terms, isGiven: number, form: number): RetryAfter | undefined {
  if (isGiven >= terms.faults.retryAfter) return undefined;
  return { form: form < 0.5 ? 'seconds' : 'date', seconds: 1 };
}
