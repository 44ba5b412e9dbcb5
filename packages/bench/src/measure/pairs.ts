import { median, rounded } from './statistics.js';

export interface PairOptions {
  readonly pairs: number;
  /** Names of the two sides, for the progress lines. */
  readonly sides: readonly [string, string];
  readonly say: (line: string) => void;
}

/**
 * Median of `a / b` over pairs of runs. The machine drifts (other tenants, temperature, page cache), so a
 * ratio is only taken between neighbours in time, and who goes first alternates: a drift that lasts longer
 * than a pair then favours neither side.
 */
export async function medianRatio(
  { pairs, sides, say }: PairOptions,
  a: () => Promise<number>,
  b: () => Promise<number>,
): Promise<number> {
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    let left: number;
    let right: number;
    if (pair % 2 === 0) {
      left = await a();
      right = await b();
    } else {
      right = await b();
      left = await a();
    }
    ratios.push(left / right);
    say(
      `pair ${pair + 1}/${pairs}: ${sides[0]} ${Math.round(left)}, ${sides[1]} ${Math.round(right)}, ` +
        `ratio ${(left / right).toFixed(3)}`,
    );
  }
  return rounded(median(ratios));
}
