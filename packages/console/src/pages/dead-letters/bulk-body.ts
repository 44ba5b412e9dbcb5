import type { Query } from '../../frame/paths.js';

/** The dead letters that match, as the API wants them named: all of them only where that is said. */
export function bulkBody(filter: Query): { filter: Query; all?: true } {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const narrows = Object.keys(given).some((name) => name !== 'until');
  return { filter: given, ...(narrows ? {} : { all: true }) };
}
