import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { problemWithNode } from './node-version.mjs';

describe('the check of the Node version', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0', '24.3.1'])('accepts %s', (version) => {
    expect(problemWithNode(version)).toBeUndefined();
  });

  it.each(['12.22.12', '18.20.4', '20.18.3'])('refuses %s with the version that is needed', (version) => {
    expect(problemWithNode(version)).toContain(`Node ${version} is too old, 20.19 or newer`);
  });

  it('asks for what package.json asks for', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(manifest.engines.node).toBe('>=20.19');
  });
});
