import { seededRandom } from '@fairlane/testkit/random';

/** Choices by chance, the same ones for the same seed. */
export class Chance {
  private readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** True in this share of all cases, 0 to 1. */
  of(share: number): boolean {
    return this.random() < share;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  oneOf<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)]!;
  }
}
