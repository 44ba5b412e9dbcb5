const grouped = new Intl.NumberFormat('en-GB');
const short = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 });

/** Where counting stops, the server says so with a `+`; unknown is `-`, never 0. */
export function formatCount(count: number | null | undefined, isAtLeast = false): string {
  if (count === null || count === undefined) return '-';
  return `${grouped.format(count)}${isAtLeast ? '+' : ''}`;
}

export function formatRate(perMinute: number | null | undefined): string {
  if (perMinute === null || perMinute === undefined) return '-';
  return perMinute >= 100 ? grouped.format(Math.round(perMinute)) : short.format(perMinute);
}

/** `3 jobs`, `1 job`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${grouped.format(count)} ${count === 1 ? one : many}`;
}
