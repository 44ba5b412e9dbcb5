import { createHash } from 'node:crypto';

/** Independent numbers in [0, 1). */
export type Dice = (index: 0 | 1 | 2 | 3 | 4) => number;

/**
 * Numbers drawn from what a request is, not from when it comes: the same seed gives the same faults
 * whatever the order of arrival, the number of workers or the requests of other accounts.
 */
export function rollDice(seed: number, ...identity: readonly (string | number)[]): Dice {
  // JSON keeps ('a', 'bc') and ('ab', 'c') apart.
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...identity]))
    .digest();
  return (index) => digest.readUIntBE(index * 6, 6) / 2 ** 48;
}
