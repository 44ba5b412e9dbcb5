import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { processIdentity } from '../servers/liveness.js';

/** Two servers on one append-only file would destroy it: the folder belongs to one command at a time. */
export async function claimFolder(dir: string): Promise<() => Promise<void>> {
  await mkdir(dir, { recursive: true });
  const file = join(dir, 'owner');
  const mine = processIdentity(process.pid);
  for (;;) {
    try {
      await writeFile(file, mine, { flag: 'wx' });
      return () => rm(file, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const owner = await readFile(file, 'utf8').catch(() => '');
    const pid = Number(owner.split(' ')[0]);
    if (owner === processIdentity(pid)) {
      throw new Error(
        `"npm start" already runs here (process ${pid}). Stop it, or use "npm start -- --ephemeral" beside it.`,
      );
    }
    await rm(file, { force: true });
  }
}
