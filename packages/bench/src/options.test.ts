import { describe, expect, it, vi } from 'vitest';

import { parseOptions } from './options.js';

const names = ['throughput', 'waiting'];

describe('the options', () => {
  it('are everything at full size when nothing is given', () => {
    expect(parseOptions([], names)).toEqual({
      quick: false,
      only: undefined,
      trace: undefined,
      json: undefined,
    });
  });

  it('select figures by name', () => {
    const options = parseOptions(['--quick', '--only', 'waiting, throughput', '--json', 'out.json'], names);
    expect(options).toMatchObject({ quick: true, only: ['waiting', 'throughput'], json: 'out.json' });
  });

  it('refuse a figure that does not exist, and name those that do', () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      expect(() => parseOptions(['--only', 'througput'], names)).toThrow('througput');
      expect(written.mock.calls.join('')).toContain('There are: throughput, waiting');
    } finally {
      written.mockRestore();
    }
  });
});
