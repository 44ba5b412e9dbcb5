export type { CrashPoint } from './attempt.js';
export type { FakeClock } from './fake-clock.js';
export type { EffectReport } from './memory-ledger.js';
export type { LogLine } from './recorded-logger.js';
export { createTestJob, type Start, type TestJob, type TestJobOptions } from './test-job.js';
