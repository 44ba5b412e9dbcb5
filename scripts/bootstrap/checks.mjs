import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { STATIC_CHECKS, tool } from '../checks/static.mjs';
import { STATE_DIR } from './paths.mjs';
import { say } from './say.mjs';
import { countTests } from './test-counts.mjs';

const RESULTS = join(STATE_DIR, 'test-results.json');

/** @typedef {'check' | 'test' | 'test:run' | 'test:long'} Suite check: what needs no server; test: that and the tests */

/**
 * The build and each static check count as one test, so that the last line tells the whole truth.
 * @param {Suite} suite
 * @param {readonly string[]} filters handed to vitest, such as a folder
 * @param {() => Promise<void>} build
 * @returns {Promise<number>} exit code
 */
export async function runChecks(suite, filters, build) {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  /**
   * @param {string} name
   * @param {() => Promise<boolean>} check
   */
  const count = async (name, check) => {
    const started = performance.now();
    const ok = await succeeds(check);
    if (ok) passed += 1;
    else failed += 1;
    say(`${ok ? 'ok    ' : 'FAILED'} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  };

  await count('build', async () => {
    await build();
    return true;
  });
  if (suite === 'check' || suite === 'test')
    for (const [name, check] of STATIC_CHECKS) await count(name, check);
  if (suite !== 'check') {
    const tests = await runVitest(suite, filters);
    passed += tests.passed;
    failed += tests.failed;
    skipped += tests.skipped;
  }
  process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  return failed === 0 ? 0 : 1;
}

/** A check that cannot be made has failed. @param {() => Promise<boolean>} check */
async function succeeds(check) {
  try {
    return await check();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return false;
  }
}

/**
 * @param {Suite} suite
 * @param {readonly string[]} filters
 */
async function runVitest(suite, filters) {
  rmSync(RESULTS, { force: true });
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${RESULTS}`];
  if (suite === 'test:long') args.push('--config', 'vitest.long.config.ts');
  const ok = await tool('vitest/vitest.mjs', [...args, ...filters]);
  return countTests(readResults(), ok);
}

function readResults() {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8'));
  } catch {
    return undefined;
  }
}
