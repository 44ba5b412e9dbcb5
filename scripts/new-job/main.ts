import { ROOT } from '../bootstrap/paths.mjs';
import { say } from '../bootstrap/say.mjs';
import { urlVariable } from '../../packages/jobs/src/url-jobs.js';
import { USAGE } from './arguments.js';
import { jobNames } from './job-names.js';
import { newJob, type NewJob } from './new-job.js';
import { Refusal } from './refusal.js';

/** `npm run new:job`: exit 0 when the job is there, 1 when nothing was written. */
async function main(args: readonly string[]): Promise<void> {
  const { stdin: input, stdout: output } = process;
  const terminal = input.isTTY && output.isTTY ? { input, output } : undefined;
  const made = await newJob(args, { root: ROOT, terminal, onWait: say });
  output.write(made === undefined ? `${USAGE}\n` : report(made));
}

function report({ name, paths }: NewJob): string {
  return `${paths.join('\n')}

${name} is registered. It posts to ${urlVariable(name)}; a worker without that variable leaves it to others.
Next: docs/adding-a-job.md; test it with: npx vitest run ${jobNames(name).folder}
`;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  say(error.message);
  process.exitCode = 1;
}
