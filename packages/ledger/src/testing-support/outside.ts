import { httpError, type EffectCall, type EffectOptions } from '@fairlane/sdk';

export type OutsideKind = 'keys' | 'lookup' | 'blind';

/** How the outside treats one call. */
export type Treatment =
  | 'answers'
  | 'answers 429'
  /** The outcome cannot be told from the answer. */
  | 'answers 500, applied'
  | 'answers 500, not applied'
  /** The caller gives up; the call is applied at the last moment at which it still can be. */
  | 'applies late'
  /** Questions only. */
  | 'cannot tell';

interface Call {
  readonly reference: string;
  readonly key: string;
  applied: number;
  /** Answered with a certain refusal. */
  refused: boolean;
}

export const TIMEOUT_MS = 1_000;
export const SETTLE_MS = 500;
export const KEY_TTL_MS = 100_000;

/** An outside system of one kind, and the record of what reached it. */
export class Outside {
  readonly kind: OutsideKind;
  readonly #clock: { readonly nowMs: number };
  readonly #keys = new Map<string, number>();
  readonly #late: { atMs: number; call: Call }[] = [];
  /** Every call that arrived, in order. */
  readonly calls: Call[] = [];

  constructor(kind: OutsideKind, clock: { readonly nowMs: number }) {
    this.kind = kind;
    this.#clock = clock;
  }

  get applied(): number {
    this.#catchUp();
    return this.calls.reduce((sum, { applied }) => sum + applied, 0);
  }

  send({ reference, idempotencyKey }: Omit<EffectCall, 'signal'>, treatment: Treatment): { id: string } {
    this.#catchUp();
    const refused = treatment === 'answers 429';
    const call: Call = { reference, key: idempotencyKey, applied: 0, refused };
    this.calls.push(call);
    switch (treatment) {
      case 'answers 429':
        throw httpError(new Response(null, { status: 429 }));
      case 'answers 500, not applied':
        throw httpError(new Response(null, { status: 500 }));
      case 'answers 500, applied':
        this.#apply(call);
        throw httpError(new Response(null, { status: 500 }));
      case 'applies late':
        this.#late.push({ atMs: this.#clock.nowMs + TIMEOUT_MS + SETTLE_MS - 1, call });
        throw new DOMException('no answer', 'TimeoutError');
      default:
        this.#apply(call);
        return { id: reference };
    }
  }

  find(reference: string, treatment: Treatment): { id: string } | undefined {
    this.#catchUp();
    if (treatment !== 'answers') throw httpError(new Response(null, { status: 502 }));
    return this.calls.some((call) => call.reference === reference && call.applied > 0)
      ? { id: reference }
      : undefined;
  }

  #apply(call: Call, nowMs = this.#clock.nowMs): void {
    const seenAtMs = this.#keys.get(call.key);
    const isRepeat = seenAtMs !== undefined && nowMs - seenAtMs < KEY_TTL_MS;
    if (this.kind === 'keys' && isRepeat) return;
    this.#keys.set(call.key, nowMs);
    call.applied += 1;
  }

  #catchUp(): void {
    for (const [index, { atMs, call }] of [...this.#late.entries()].toReversed()) {
      if (atMs > this.#clock.nowMs) continue;
      this.#late.splice(index, 1);
      this.#apply(call, atMs);
    }
  }
}

/** What a contract says of an outside of this kind. */
export function safetyOf(
  kind: OutsideKind,
): Pick<EffectOptions<unknown>, 'repeatable' | 'settleMs' | 'timeoutMs'> {
  const times = { timeoutMs: TIMEOUT_MS, settleMs: SETTLE_MS };
  return kind === 'keys' ? { ...times, repeatable: { keyTtlMs: KEY_TTL_MS } } : times;
}
