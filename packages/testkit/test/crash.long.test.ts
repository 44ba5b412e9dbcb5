import { describe, expect, it } from 'vitest';

import { crashOptions, runCrashes } from '../src/crash/index.js';

const options = crashOptions(process.env);
const { jobs, kills, restarts, cuts, stops, readOnly, full, seed, ledger } = options;

describe('crashes', () => {
  it(`A01 A17 A29 A31: ${jobs} jobs, ${kills} kills, ${restarts} restarts of Redis, ${cuts} cuts, ${stops} stops, R1 to R4 hold`, async () => {
    const report = await runCrashes(options, new AbortController().signal);
    // The figures and the seed are what a person wants of this run, passed or not.
    process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
    expect(report.violations).toEqual([]);
    expect(report).toMatchObject({
      seed,
      ledger,
      lost: 0,
      repeated: { keys: 0, blind: 0 },
      dead: report.expectedDead + report.unknownByLostWorker,
      struck: { kill: kills, restart: restarts, cut: cuts, stop: stops, readOnly, full },
    });
    expect(report.accepted + report.duplicates).toBe(jobs);
    expect(report.completed + report.dead).toBe(jobs);
  });
});
