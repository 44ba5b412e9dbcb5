import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';

import { RUNS_DIR } from '../command/state-dir.js';
import { KEPT_FILE, type KeptDeployment } from '../deployment/kept.js';
import { processIdentity, untilGone } from '../servers/liveness.js';

const GRACE_MS = 40_000;

let stopped = 0;
for (const run of await readdir(RUNS_DIR).catch(() => [])) {
  const dir = join(RUNS_DIR, run);
  const kept = await readKept(join(dir, KEPT_FILE));
  if (kept === undefined) continue;
  for (const { pid, identity } of kept.processes) {
    if (processIdentity(pid) !== identity) continue;
    process.kill(pid, 'SIGTERM');
    await untilGone(pid, GRACE_MS);
  }
  await rm(dir, { recursive: true, force: true });
  process.stderr.write(`fairlane: stopped ${run}\n`);
  stopped += 1;
}
if (stopped === 0) process.stderr.write('fairlane: no deployment was kept running\n');

async function readKept(file: string): Promise<KeptDeployment | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as KeptDeployment;
  } catch {
    return undefined;
  }
}
