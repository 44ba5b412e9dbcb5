import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from './format.js';
import { jobNames, type JobNames } from './job-names.js';
import type { JobAnswers } from './job-spec.js';
import { Refusal } from './refusal.js';
import { LISTS, withContract, withUrlJob } from './registration.js';
import { jobFiles } from './templates.js';
import { writeTogether } from './write-together.js';

/** A name and fields that stand nowhere else. */
const NOBODY = {
  names: jobNames('zzz.nobody'),
  fields: { account: 'zzzAccount', key: ['zzzKey'], queue: 'bulk' },
};

/**
 * Writes the job's folder and registers it: all of it or nothing.
 *
 * @param root folder of the repository
 * @returns paths of what was written and changed, from there
 * @throws Refusal where something is in the way.
 */
export async function generateJob(root: string, answers: JobAnswers): Promise<string[]> {
  const src = join(root, 'packages/jobs/src');
  const names = jobNames(answers.name);
  const folder = join(src, names.folder);
  if (existsSync(folder)) {
    throw new Refusal(`packages/jobs/src/${names.folder} exists already; take another name for the job`);
  }
  checkNamesAreFree(names);
  const files = jobFiles(names, answers);
  const lists = {
    [LISTS.contracts]: withContract(readFileSync(join(src, LISTS.contracts), 'utf8'), names),
    [LISTS.urlJobs]: withUrlJob(readFileSync(join(src, LISTS.urlJobs), 'utf8'), names),
  };
  const formatted = await formatAll(root, folder, files);
  const replaced = await formatAll(root, src, lists);
  writeTogether(
    folder,
    formatted,
    Object.fromEntries(Object.entries(replaced).map(([name, text]) => [join(src, name), text])),
  );
  const written = Object.keys(files).map((name) => join(names.folder, name));
  return [...written, ...Object.keys(lists)].map((path) => join('packages/jobs/src', path));
}

/** `define.job` would be called as the function that defines it. */
function checkNamesAreFree(names: JobNames): void {
  const others = Object.values(jobFiles(NOBODY.names, { name: 'zzz.nobody', ...NOBODY.fields })).join('\n');
  for (const name of [names.contract, names.factory, `${names.type}Options`]) {
    if (!new RegExp(`\\b${name}\\b`).test(others)) continue;
    throw new Refusal(
      `the job would be called ${name} in code, which means something else there; take another name`,
    );
  }
}

async function formatAll(root: string, folder: string, files: Readonly<Record<string, string>>) {
  const entries = Object.entries(files).map(async ([name, text]) => {
    return [name, await format(root, join(folder, name), text)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
