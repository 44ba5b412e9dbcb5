import { ROOT } from '../bootstrap/paths.mjs';
import { say } from '../bootstrap/say.mjs';
import { format } from '../new-job/format.js';
import { ReleasedFiles } from './files.js';
import { checkContracts, contractsToRelease } from './release.js';

/** `npm run contracts:check` and `npm run contracts:release`. Exit 0 only without a problem. */
async function main(command: string): Promise<void> {
  const { contracts } = await import('../../packages/jobs/src/contracts.js');
  const files = new ReleasedFiles(ROOT);
  const problems = command === 'release' ? await release() : check();
  for (const problem of problems) say(problem);
  if (problems.length > 0) process.exitCode = 1;

  function check(): readonly string[] {
    const report = checkContracts(contracts, files);
    const { length } = report.unreleased;
    const rest = length === 0 ? '' : `; not yet released: ${report.unreleased.join(', ')}`;
    if (report.problems.length === 0) say(`${contracts.length} contracts read what was released${rest}`);
    return report.problems;
  }

  async function release(): Promise<readonly string[]> {
    const outcome = contractsToRelease(contracts, files);
    for (const one of outcome.released) {
      const path = files.pathOf(one.name, one.version);
      files.write(one, await format(ROOT, path, JSON.stringify(one)));
      process.stdout.write(`${path}\n`);
    }
    if (outcome.problems.length === 0 && outcome.released.length === 0) say('everything is released');
    return outcome.problems;
  }
}

await main(process.argv[2] ?? 'check');
