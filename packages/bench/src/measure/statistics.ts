/** Middle value; the mean of the two middle ones for an even count. */
export function median(values: readonly number[]): number {
  const sorted = sortedCopy(values);
  const middle = sorted.length >> 1;
  const upper = sorted[middle]!;
  return sorted.length % 2 === 1 ? upper : (sorted[middle - 1]! + upper) / 2;
}

/** Nearest-rank percentile, so the answer is always a value that was measured. */
export function percentile(values: readonly number[], percent: number): number {
  if (!(percent > 0 && percent <= 100)) {
    throw new RangeError(`expected a percentage above 0 and up to 100, got ${percent}`);
  }
  const sorted = sortedCopy(values);
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1]!;
}

function sortedCopy(values: readonly number[]): number[] {
  if (values.length === 0) throw new RangeError('expected at least one value, got none');
  return values.toSorted((a, b) => a - b);
}

/** Enough digits to compare, without a false air of precision. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
