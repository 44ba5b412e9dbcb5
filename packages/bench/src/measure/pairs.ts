import { median, rounded } from './statistics.js';

/** A figure, and what else a person may want to see of the run it comes from. */
export interface Measured {
  readonly value: number;
  readonly note?: string;
}

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
  a: () => Promise<Measured>,
  b: () => Promise<Measured>,
): Promise<number> {
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    let left: Measured;
    let right: Measured;
    if (pair % 2 === 0) {
      left = await a();
      right = await b();
    } else {
      right = await b();
      left = await a();
    }
    const ratio = left.value / right.value;
    ratios.push(ratio);
    say(
      `pair ${pair + 1}/${pairs}: ${shown(sides[0], left)}, ${shown(sides[1], right)}, ratio ${ratio.toFixed(3)}`,
    );
  }
  return rounded(median(ratios));
}

function shown(side: string, { value, note }: Measured): string {
  return `${side} ${Math.round(value)}${note === undefined ? '' : ` (${note})`}`;
}
