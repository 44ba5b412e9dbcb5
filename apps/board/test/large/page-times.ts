import type { Page } from 'playwright-core';

/** A page and what must be seen before a person can use it. */
export interface Visit {
  name: string;
  /** Below the board's address. */
  path: string;
  isUsable: (page: Page) => Promise<unknown>;
}

/** Opens each page `rounds` times, in turn, and answers the median time until it was usable, ms by name. */
export async function timePages(
  page: Page,
  base: string,
  visits: readonly Visit[],
  rounds: number,
): Promise<Record<string, number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const times = new Map<string, number[]>(visits.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, path, isUsable } of visits) {
      const startedAt = performance.now();
      await page.goto(base + path, { waitUntil: 'commit' });
      await isUsable(page);
      times.get(name)?.push(performance.now() - startedAt);
      // What a page still reads for itself must not slow the next one down.
      await page.goto('about:blank');
    }
  }
  await session.detach();
  return Object.fromEntries([...times].map(([name, all]) => [name, Math.round(median(all))]));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
