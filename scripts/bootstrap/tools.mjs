import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

import { networkProblem, RETRY_ENV } from './network.mjs';
import { LOG_DIR, TOOLS_DIR } from './paths.mjs';
import { run } from './run.mjs';
import { Problem } from './say.mjs';

/**
 * Installs a program from the registry beside the clone instead of into the npx cache, where an interrupted download
 * breaks every later run; the last step is a rename, so the folder is whole or missing.
 * @param {string} folder below `TOOLS_DIR`
 * @param {string} spec such as `pnpm@10.34.9`
 * @param {readonly string[]} args more of npm's
 * @param {(draft: string) => Promise<string | undefined> | string | undefined} problemWith what is wrong with what came
 */
export async function installTool(folder, spec, args, problemWith) {
  mkdirSync(TOOLS_DIR, { recursive: true });
  // Only one process at a time comes here, so a draft that exists is left over from an interruption.
  for (const name of readdirSync(TOOLS_DIR)) {
    if (name.startsWith('draft-')) rmSync(join(TOOLS_DIR, name), { recursive: true, force: true });
  }
  const draft = join(TOOLS_DIR, `draft-${process.pid}`);
  mkdirSync(draft);
  const logFile = join(LOG_DIR, `${basename(folder)}.log`);
  // In the draft's folder: npm must not take the clone for its project.
  const { ok, output } = await run(
    'npm',
    ['install', '--prefix', draft, '--no-audit', '--no-fund', ...args, spec],
    {
      cwd: draft,
      env: { ...process.env, ...RETRY_ENV },
      output: 'capture',
      logFile,
    },
  );
  if (!ok)
    throw networkProblem(output, logFile) ?? new Problem(`${spec} could not be installed, see ${logFile}`);
  const problem = await problemWith(draft);
  if (problem !== undefined) {
    rmSync(draft, { recursive: true, force: true });
    throw new Problem(`${spec} from the registry ${problem}; nothing was installed`);
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
}
