import { existsSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { fingerprint, readStamp, workspaces, writeStamp } from './fingerprint.mjs';
import { networkProblem, RETRY_ENV } from './network.mjs';
import { LOG_DIR, ROOT, STATE_DIR } from './paths.mjs';
import { ensurePnpm } from './pnpm.mjs';
import { run } from './run.mjs';
import { Problem, say } from './say.mjs';

/** Inside node_modules, so that deleting the one deletes the other. */
const DONE = join(ROOT, 'node_modules', '.fairlane-installed');
const UNDER_WAY = join(STATE_DIR, 'install-under-way');

/** Dependencies exactly as the lockfile has them; nothing to do in the usual case. */
export async function ensureInstalled() {
  const wanted = wantedInstall();
  if (readStamp(DONE) === wanted && !existsSync(UNDER_WAY)) return;

  const bin = await ensurePnpm();
  if (existsSync(UNDER_WAY)) {
    say('an earlier installation was interrupted, starting over');
    removeModules();
  }
  say('installing dependencies');
  rmSync(DONE, { force: true });
  writeStamp(UNDER_WAY, wanted);
  const logFile = join(LOG_DIR, 'install.log');
  const { ok, output } = await run(
    join(bin, 'pnpm'),
    ['install', '--frozen-lockfile', '--config.confirmModulesPurge=false'],
    {
      output: 'capture',
      logFile,
      env: { ...pnpmEnv(bin), ...RETRY_ENV },
    },
  );
  if (!ok) {
    const tail = output.trim().split('\n').slice(-8).join('\n');
    throw (
      networkProblem(output, logFile) ??
      new Problem(`dependencies could not be installed (all of it: ${logFile})\n${tail}`)
    );
  }
  rmSync(UNDER_WAY);
  writeStamp(DONE, wanted);
}

/**
 * turbo starts pnpm by name.
 * @param {string} bin
 */
export function pnpmEnv(bin) {
  return { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`, NODE_ENV: undefined };
}

function wantedInstall() {
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'].map((name) => join(ROOT, name));
  files.push(...workspaces(ROOT).map((folder) => join(folder, 'package.json')));
  // Optional dependencies hold one native program per platform.
  return fingerprint(ROOT, files, [process.platform, process.arch]);
}

function removeModules() {
  for (const folder of [ROOT, ...workspaces(ROOT)]) {
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  }
}
