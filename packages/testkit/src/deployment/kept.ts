import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { processIdentity } from '../servers/liveness.js';
import type { Deployment, DeploymentDescription } from './deployment.js';

/** A deployment that outlives the command that started it. */
export interface KeptDeployment extends DeploymentDescription {
  /** In the order to stop them; ids are reused, hence the identity. */
  processes: { name: string; pid: number; identity: string }[];
}

export const KEPT_FILE = 'deployment.json';

/** Holds tokens and passwords: readable by its owner only. */
export async function writeKept(dir: string, deployment: Deployment): Promise<string> {
  const processes = deployment
    .processes()
    .map((entry) => ({ ...entry, identity: processIdentity(entry.pid) }));
  const kept: KeptDeployment = { ...deployment.describe(), processes };
  const file = join(dir, KEPT_FILE);
  await writePrivateJson(file, kept);
  return file;
}

export async function readDescription(file: string): Promise<DeploymentDescription> {
  return JSON.parse(await readFile(file, 'utf8')) as DeploymentDescription;
}

export async function writePrivateJson(file: string, value: unknown): Promise<void> {
  // By way of a rename: whoever waits for the file finds all of it, and never with looser rights.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}
