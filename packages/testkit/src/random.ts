/** mulberry32: small, fast, the same on every platform; numbers in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** In place, every order equally likely. */
export function shuffle(values: Uint32Array, random: () => number): void {
  for (let last = values.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const value = values[last] ?? 0;
    values[last] = values[other] ?? 0;
    values[other] = value;
  }
}
