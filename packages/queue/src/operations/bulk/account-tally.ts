/** Dead letters of one account among those that match. */
export interface AccountCount {
  readonly account: string;
  readonly matched: number;
}

/** Accounts that are named, at most. */
const MOST_NAMED = 20;
/** Accounts that are counted apart, at most: a megabyte. Of more, those first met later are in the total only. */
const MOST_COUNTED = 10_000;

/** Whose work a bulk operation is about, in bounded memory. */
export class AccountTally {
  readonly #counts = new Map<string, number>();

  add(account: string): void {
    const count = this.#counts.get(account);
    if (count === undefined && this.#counts.size >= MOST_COUNTED) return;
    this.#counts.set(account, (count ?? 0) + 1);
  }

  /** Those with most, the most first; names decide between equals. */
  largest(): AccountCount[] {
    return [...this.#counts]
      .map(([account, matched]) => ({ account, matched }))
      .toSorted((one, other) => other.matched - one.matched || (one.account < other.account ? -1 : 1))
      .slice(0, MOST_NAMED);
  }
}
