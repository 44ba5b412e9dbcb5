import { defineConfig, mergeConfig } from 'vitest/config';

import base from './vitest.config.js';

/** `npm run test:long`: crash, load and fuzz runs at full size, one at a time. */
const long = mergeConfig(
  base,
  defineConfig({ test: { maxWorkers: 1, testTimeout: 30 * 60_000, coverage: { enabled: false } } }),
);

// Arrays are concatenated by the merge, and these two have to be replaced.
export default {
  ...long,
  test: {
    ...long.test,
    include: ['{packages,apps}/*/{src,test}/**/*.long.test.ts', 'scripts/**/*.long.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
  },
};
