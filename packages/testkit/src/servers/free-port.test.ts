import { describe, expect, it } from 'vitest';

import { freePort } from './free-port.js';

/** Where systems begin that hand out ports by themselves: Linux here, others higher still. */
const HANDED_OUT_FROM = 32_768;

describe('a free port', () => {
  it('is none that the system hands out by itself, so that a server gets its port back after a crash', async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
    expect(ports.filter((port) => port >= HANDED_OUT_FROM)).toEqual([]);
    expect(new Set(ports).size).toBeGreaterThan(15);
  });
});
