import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { lintLua } from './lua.mjs';
import { ROOT, STATE_DIR } from './paths.mjs';
import { run } from './run.mjs';
import { say } from './say.mjs';
import { countTests } from './test-counts.mjs';

const RESULTS = join(STATE_DIR, 'test-results.json');

/**
 * Build, types, lint, Lua and format count as one test each, so that the last line tells the whole truth.
 * @param {'test' | 'test:long'} suite
 * @param {readonly string[]} filters handed to vitest, such as a folder
 * @param {() => Promise<void>} build
 * @returns {Promise<number>} exit code
 */
export async function runChecks(suite, filters, build) {
  let passed = 0;
  let failed = 0;
  /**
   * @param {string} name
   * @param {() => Promise<boolean>} check
   */
  const count = async (name, check) => {
    const started = performance.now();
    const ok = await check();
    if (ok) passed += 1;
    else failed += 1;
    say(`${ok ? 'ok    ' : 'FAILED'} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  };

  await count('build', () => succeeds(build));
  if (suite === 'test') {
    await count('types', () => tool('typescript/bin/tsc', ['-b']));
    await count('types of tests', () => tool('typescript/bin/tsc', ['-p', 'tsconfig.tests.json']));
    await count('types of scripts', () => tool('typescript/bin/tsc', ['-p', 'scripts']));
    await count('lint', () => tool('oxlint/bin/oxlint', ['--type-aware', '--deny-warnings']));
    await count('lua', checkLua);
    await count('format', () => tool('oxfmt/bin/oxfmt', ['--check', '.']));
  }
  const tests = await runVitest(suite, filters);
  passed += tests.passed;
  failed += tests.failed;
  const skipped = tests.skipped > 0 ? `, ${tests.skipped} skipped` : '';
  process.stdout.write(`\n${passed} passed, ${failed} failed${skipped}\n`);
  return failed === 0 ? 0 : 1;
}

/** Where nobody looks at what was left out, nothing may be. */
async function checkLua() {
  /** @type {Awaited<ReturnType<typeof lintLua>> | undefined} */
  let result;
  // Scripts are put together by what has been built, which may have failed.
  const ran = await succeeds(async () => {
    result = await lintLua();
  });
  if (result === 'missing') {
    say('the Lua scripts were not checked: install luacheck (Debian package lua-check)');
    return !process.env['CI'];
  }
  return ran && result === 'ok';
}

/**
 * @param {string} program below node_modules
 * @param {readonly string[]} args
 */
async function tool(program, args) {
  const { ok } = await run(process.execPath, [join(ROOT, 'node_modules', program), ...args]);
  return ok;
}

/** @param {() => Promise<void>} step */
async function succeeds(step) {
  try {
    await step();
    return true;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return false;
  }
}

/**
 * @param {'test' | 'test:long'} suite
 * @param {readonly string[]} filters
 */
async function runVitest(suite, filters) {
  rmSync(RESULTS, { force: true });
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${RESULTS}`];
  // Coverage of a part of the tests would only mislead.
  if (suite === 'test:long') args.push('--config', 'vitest.long.config.ts');
  else if (filters.length === 0) args.push('--coverage');
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
