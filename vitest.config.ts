import { defineConfig } from 'vitest/config';

import { PATIENCE_MS } from './packages/testkit/src/vitest/patience.js';

// Tests run from sources: every workspace package exposes its `src` under this condition.
const conditions = ['fairlane-source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/{src,test}/**/*.test.ts', 'apps/*/{src,test}/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/*.long.test.ts'],
    pool: 'forks',
    // One more than the processors of a small machine: many tests wait for processes, leases and browsers.
    maxWorkers: 3,
    // Several waits in a row may take as long as they may.
    testTimeout: 3 * PATIENCE_MS,
    hookTimeout: 6 * PATIENCE_MS,
    // The default of one second is a race on a busy machine.
    expect: { poll: { timeout: PATIENCE_MS, interval: 20 } },
    typecheck: { enabled: false },
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.test-d.ts'],
      reporter: ['text-summary', 'lcovonly'],
    },
  },
});
