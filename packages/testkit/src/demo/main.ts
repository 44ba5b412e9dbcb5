import { writeFile } from 'node:fs/promises';
import process from 'node:process';

import { runCommand } from '../command/run-command.js';
import { parseDemoOptions } from './options.js';
import { formatResult } from './print-result.js';
import { runDemo } from './run-demo.js';
import { isGood } from './summary.js';

const options = parseDemoOptions(process.argv.slice(2));

process.exitCode = await runCommand(async (interruption) => {
  const result = await runDemo(options, interruption, (line) => process.stderr.write(`fairlane: ${line}\n`));
  process.stdout.write(formatResult(result));
  if (options.json !== undefined) {
    await writeFile(options.json, `${JSON.stringify(result.summary, undefined, 2)}\n`);
  }
  return isGood(result.summary) ? 0 : 1;
});
