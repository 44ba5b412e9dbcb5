import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `.fairlane/` of the clone, ignored by git. */
export const STATE_DIR = fileURLToPath(new URL('../../../../.fairlane', import.meta.url));
export const RUNS_DIR = join(STATE_DIR, 'runs');

/** Runs that failed leave their logs; so many of them. */
const RUNS_LEFT = 10;

/** A fresh folder for one run (campaign, Redis file, logs), with a short id for what belongs to it elsewhere. */
export async function createRunDir(kind: string): Promise<{ id: string; dir: string }> {
  const time = new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  const id = randomBytes(3).toString('hex');
  const dir = join(RUNS_DIR, `${kind}-${time}-${id}`);
  await removeOldRuns();
  await mkdir(dir, { recursive: true });
  return { id, dir };
}

/** The oldest go, except those that are kept running. */
async function removeOldRuns(): Promise<void> {
  const runs = (await readdir(RUNS_DIR).catch(() => []))
    .filter((name) => !existsSync(join(RUNS_DIR, name, 'deployment.json')))
    .toSorted((a, b) => runTime(b).localeCompare(runTime(a)));
  for (const name of runs.slice(RUNS_LEFT)) await rm(join(RUNS_DIR, name), { recursive: true, force: true });
}

function runTime(name: string): string {
  return name.split('-').slice(1).join('-');
}
