import type { Query } from '../../frame/paths.js';

/** What the API answers to a bulk replay and to its dry run. */
export interface Matched {
  operation?: string;
  matched: number;
  byCode: Record<string, number>;
  /** Left out: an effect of theirs waits for the word of a person. */
  unresolved: number;
  /** What dies later stays out. */
  until: string;
}

/** The dead letters that match, as the API wants them named: all of them only where that is said. */
export function bulkBody(filter: Query): { filter: Query; all?: true } {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const narrows = Object.keys(given).some((name) => name !== 'until');
  return { filter: given, ...(narrows ? {} : { all: true }) };
}
