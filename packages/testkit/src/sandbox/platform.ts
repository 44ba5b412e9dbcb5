import { createHash } from 'node:crypto';

import { AllowanceMeter } from './allowance-meter.js';
import {
  faultsSchema,
  messageSchema,
  type AccountKind,
  type AccountPatch,
  type AccountView,
  type Faults,
  type Message,
  type RateLimit,
  type SandboxReport,
} from './protocol.js';
import { RateJudge } from './rate-judge.js';
import { ReferenceBook, type ReferenceRecord } from './reference-book.js';
import { rollDice } from './dice.js';
import { decide, type RetryAfter, type Verdict } from './verdict.js';

export interface Answer {
  status: number;
  body: unknown;
  /** Value of the header `Retry-After`. */
  retryAfter?: string;
}

/** An answer, or how the connection ends without one. */
export type Outcome = Answer | 'stall' | 'cut';

interface Account {
  account: string;
  kind: AccountKind;
  limit: RateLimit | null;
  faults: Faults;
  revoked: boolean;
  seed: number;
  lookupLagMs: number;
  judge: RateJudge;
  meter: AllowanceMeter | undefined;
  /** What an `Idempotency-Key` was used for. */
  keys: Map<string, { digest: string; id: string }>;
}

/**
 * The outside platform without its sockets: it applies messages, misbehaves as its accounts say and keeps
 * the record of what reached it. Every method is synchronous, so two requests never interleave. `nowMs` is
 * milliseconds since the epoch on a clock that never steps back.
 */
export class Platform {
  readonly #seed: number;
  readonly #slackMs: number | undefined;
  readonly #accounts = new Map<string, Account>();
  readonly #book = new ReferenceBook();
  #requests = 0;

  /** @param options.slackMs what a request may be late on its way without breaking a limit; default 500. */
  constructor(options: { seed: number; slackMs?: number }) {
    this.#seed = options.seed;
    this.#slackMs = options.slackMs;
  }

  accounts(): AccountView[] {
    return [...this.#accounts.values()].map(({ account, kind, limit, revoked }) => ({
      account,
      kind,
      limit,
      revoked,
    }));
  }

  setAccount(patch: AccountPatch, nowMs: number): AccountView {
    const account = this.#accounts.get(patch.account) ?? this.#createAccount(patch.account);
    account.kind = patch.kind ?? account.kind;
    account.faults = patch.faults ?? account.faults;
    account.revoked = patch.revoked ?? account.revoked;
    account.seed = patch.seed ?? account.seed;
    account.lookupLagMs = patch.lookupLagMs ?? account.lookupLagMs;
    if (patch.limit !== undefined) setLimit(account, patch.limit, nowMs);
    const { kind, limit, revoked } = account;
    return { account: account.account, kind, limit, revoked };
  }

  /** Counts a request to send a message, whatever becomes of it. To be called on arrival. */
  arrive(accountId: string, nowMs: number): void {
    this.#requests += 1;
    this.#accounts.get(accountId)?.judge.observe(nowMs);
  }

  send(accountId: string, key: string | undefined, body: unknown, nowMs: number): Outcome {
    const account = this.#accounts.get(accountId);
    const parsed = messageSchema.safeParse(body);
    const reference = parsed.success ? parsed.data.reference : referenceOf(body);
    const record = reference === undefined ? undefined : this.#book.open(reference, account?.kind);
    if (reference !== undefined && record === undefined) {
      return { status: 507, body: { code: 'sandbox_full' } };
    }
    if (record !== undefined) {
      account?.meter?.observe(nowMs, record.requests === 0);
      record.requests += 1;
    }
    const outcome = this.#outcome(account, key, parsed, record, nowMs);
    if (record !== undefined) {
      record.lastStatus = typeof outcome === 'string' ? 0 : outcome.status;
      record.ambiguous ||= isAmbiguous(record.lastStatus);
    }
    return outcome;
  }

  /** The caller went away before its answer: it cannot know the outcome. */
  undelivered(body: unknown): void {
    const reference = referenceOf(body);
    const record = reference === undefined ? undefined : this.#book.find(reference);
    if (record === undefined) return;
    record.lastStatus = 0;
    record.ambiguous = true;
  }

  /** The caller went away soon after its answer: whether it had noted it down cannot be seen from here. */
  hungUp(body: unknown): void {
    const reference = referenceOf(body);
    const record = reference === undefined ? undefined : this.#book.find(reference);
    if (record !== undefined) record.hungUp = true;
  }

  find(accountId: string, reference: string, nowMs: number): Answer {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return { status: 404, body: { code: 'account_unknown' } };
    if (account.kind === 'blind') {
      this.#book.askedInVain(reference);
      return { status: 405, body: { code: 'no_lookup' } };
    }
    if (account.revoked) return { status: 401, body: { code: 'revoked' } };
    const record = this.#book.find(reference);
    if (record === undefined) return { status: 404, body: { code: 'not_found' } };
    record.lookups += 1;
    const dice = rollDice(account.seed, 'lookup', accountId, reference, record.lookups);
    if (dice(0) < account.faults.rate500) return { status: 503, body: { code: 'unavailable' } };
    if (record.message === undefined || record.message.visibleAtMs > nowMs) {
      return { status: 404, body: { code: 'not_found' } };
    }
    return { status: 200, body: { id: record.message.id } };
  }

  report(full: boolean): SandboxReport {
    let violations = 0;
    let made = 0;
    let allowed = 0;
    for (const { judge, meter } of this.#accounts.values()) {
      violations += judge.violations;
      const measured = meter?.measure();
      made += measured?.made ?? 0;
      allowed += measured?.allowed ?? 0;
    }
    const { applied, repeated, expectedDead } = this.#book.totals();
    return {
      requests: this.#requests,
      applied,
      repeated,
      violations,
      achievedFraction: allowed > 0 ? made / allowed : null,
      expectedDead,
      ...(full ? { byReference: this.#book.byReference() } : {}),
    };
  }

  #outcome(
    account: Account | undefined,
    key: string | undefined,
    parsed: ReturnType<typeof messageSchema.safeParse>,
    record: ReferenceRecord | undefined,
    nowMs: number,
  ): Outcome {
    if (account === undefined) return { status: 404, body: { code: 'account_unknown' } };
    if (!parsed.success || record === undefined) {
      return { status: 422, body: { code: 'invalid', issues: parsed.error?.issues } };
    }
    const verdict = decide(account, parsed.data, record.requests);
    const applies = verdict.kind === 'accept' || ('applied' in verdict && verdict.applied);
    const sent = applies ? apply(account, key, parsed.data, record, nowMs) : undefined;
    if (sent === 'key_reused') return { status: 422, body: { code: 'idempotency_key_reused' } };
    return answer(account, verdict, sent, nowMs);
  }

  #createAccount(name: string): Account {
    const account: Account = {
      account: name,
      kind: 'keys',
      limit: null,
      faults: faultsSchema.parse({}),
      revoked: false,
      seed: this.#seed,
      lookupLagMs: 0,
      judge: new RateJudge(null, this.#slackMs),
      meter: undefined,
      keys: new Map(),
    };
    this.#accounts.set(name, account);
    return account;
  }
}

function setLimit(account: Account, limit: RateLimit | null, nowMs: number): void {
  account.limit = limit;
  account.judge.setLimit(limit, nowMs);
  if (limit === null) account.meter = undefined;
  else if (account.meter === undefined) account.meter = new AllowanceMeter(limit);
  else account.meter.setLimit(limit, nowMs);
}

function apply(
  account: Account,
  key: string | undefined,
  message: Message,
  record: ReferenceRecord,
  nowMs: number,
): { id: string } | 'key_reused' {
  const honoursKey = account.kind === 'keys' && key !== undefined;
  const digest = honoursKey ? sha256(JSON.stringify(message)) : '';
  if (honoursKey) {
    const earlier = account.keys.get(key);
    if (earlier !== undefined) return earlier.digest === digest ? earlier : 'key_reused';
  }
  record.applied += 1;
  const id = `msg_${sha256(JSON.stringify([account.account, message.reference, record.applied])).slice(0, 20)}`;
  record.message ??= { id, visibleAtMs: nowMs + account.lookupLagMs };
  if (honoursKey) account.keys.set(key, { digest, id });
  return { id };
}

function answer(
  account: Account,
  verdict: Verdict,
  sent: { id: string } | undefined,
  nowMs: number,
): Outcome {
  switch (verdict.kind) {
    case 'accept':
      return { status: 200, body: { id: sent?.id } };
    case 'refuse':
      return { status: verdict.status, body: { code: verdict.code } };
    case 'throttle':
      return throttled(account, verdict.status, verdict.retryAfter, nowMs);
    case 'fail':
      return { status: verdict.status, body: { code: 'failed' } };
    default:
      return verdict.kind;
  }
}

function throttled(
  account: Account,
  status: 429 | 503,
  retryAfter: RetryAfter | undefined,
  nowMs: number,
): Answer {
  const body = { code: status === 429 ? 'too_many_requests' : 'unavailable' };
  if (retryAfter === undefined) return { status, body };
  const { form, seconds } = retryAfter;
  // An HTTP date names a whole second: round up, or the caller is let in too early.
  const untilMs = form === 'date' ? Math.ceil(nowMs / 1000 + seconds) * 1000 : nowMs + seconds * 1000;
  if (status === 429) account.meter?.close(nowMs, untilMs);
  return { status, body, retryAfter: form === 'date' ? new Date(untilMs).toUTCString() : String(seconds) };
}

/** 0 stands for a stall or a cut. */
function isAmbiguous(status: number): boolean {
  return status === 0 || status === 500 || status === 502 || status === 504;
}

function referenceOf(body: unknown): string | undefined {
  const parsed = messageSchema.pick({ reference: true }).safeParse(body);
  return parsed.success ? parsed.data.reference : undefined;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
