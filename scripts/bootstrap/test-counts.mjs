/**
 * @typedef {object} VitestResults the part of vitest's JSON report that is read here
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {{ status: string, assertionResults: { status: string }[] }[]} testResults
 */

/**
 * A failure that belongs to no test (a file that does not load, a failing hook, an unhandled rejection,
 * no report at all) counts as one failed: the counts must never look better than the exit code.
 * @param {VitestResults | undefined} results
 * @param {boolean} exitedWithZero
 */
export function countTests(results, exitedWithZero) {
  if (results === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const failedFiles = results.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const passed = results.numPassedTests;
  const failed = results.numFailedTests + failedFiles;
  const skipped = results.numPendingTests + results.numTodoTests;
  if (failed === 0 && (!exitedWithZero || passed === 0)) return { passed, failed: 1, skipped };
  return { passed, failed, skipped };
}
