import { describe, expect, it } from 'vitest';

import { countTests } from './test-counts.mjs';

const report = (file: { status: string; tests: string[] }, counts: [number, number, number]) => ({
  numPassedTests: counts[0],
  numFailedTests: counts[1],
  numPendingTests: counts[2],
  numTodoTests: 0,
  testResults: [{ status: file.status, assertionResults: file.tests.map((status) => ({ status })) }],
});

describe('the counts in the last line of npm test', () => {
  it('are those of vitest', () => {
    const results = report({ status: 'failed', tests: ['passed', 'failed', 'pending'] }, [1, 1, 1]);
    expect(countTests(results, false)).toEqual({ passed: 1, failed: 1, skipped: 1 });
  });

  it('count a file that does not load or whose hook fails as one failed', () => {
    const broken = report({ status: 'failed', tests: [] }, [0, 0, 0]);
    expect(countTests(broken, false).failed).toBe(1);
    const hook = report({ status: 'failed', tests: ['passed'] }, [1, 0, 0]);
    expect(countTests(hook, false)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  it('count an unhandled error outside all tests as one failed', () => {
    const results = report({ status: 'passed', tests: ['passed'] }, [1, 0, 0]);
    expect(countTests(results, true).failed).toBe(0);
    expect(countTests(results, false).failed).toBe(1);
  });

  it('never take "no test ran" for success', () => {
    expect(countTests(undefined, true).failed).toBe(1);
    expect(countTests(report({ status: 'passed', tests: [] }, [0, 0, 0]), true).failed).toBe(1);
  });
});
