/** What a page of an operation came to. */
export interface PageDone {
  /** Null at the end. */
  readonly cursor: string | null;
  /** Refused by Redis. */
  readonly failed: number;
  /** Jobs looked at, for the pace. */
  readonly count: number;
}

/** Counts what Redis refused of a page. @throws UnavailableError for an outage: then the page is done again. */
export type Refused = (operation: string, outcomes: readonly PromiseSettledResult<unknown>[]) => number;
