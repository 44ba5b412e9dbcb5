import type { JobNames } from './job-names.js';
import { Refusal } from './refusal.js';

/** Files that list the jobs, below packages/jobs/src. */
export const LISTS = { contracts: 'contracts.ts', urlJobs: 'url-jobs.ts' } as const;

/** `contracts.ts` with one contract more. */
export function withContract(source: string, { contract, folder }: JobNames): string {
  if (new RegExp(`\\b${contract}\\b`).test(source)) {
    throw new Refusal(`the name ${contract} is taken in ${LISTS.contracts}; take another name for the job`);
  }
  const imported = withImport(
    source,
    LISTS.contracts,
    `import { ${contract} } from './${folder}/contract.js';`,
  );
  const exported = withWord(imported, LISTS.contracts, /^(export \{)([^}]*)(\};)$/m, contract);
  return withWord(
    exported,
    LISTS.contracts,
    /^(export const contracts = \[)([^\]]*)(\] as const;)$/m,
    contract,
  );
}

/** `url-jobs.ts` with one job more. */
export function withUrlJob(source: string, { job, factory, folder }: JobNames): string {
  const imported = withImport(source, LISTS.urlJobs, `import { ${factory} } from './${folder}/handler.js';`);
  return withWord(
    imported,
    LISTS.urlJobs,
    /^(export const urlJobs[^=]*= \{)([^}]*)(\};)$/m,
    `'${job}': ${factory}`,
  );
}

const isImport = (line: string) => /^import .* from '.*';$/.test(line);
const pathOf = (line: string) => /'(.*)'/.exec(line)?.[1] ?? '';

/** Puts the import where the path sorts it, after the imports of packages. */
function withImport(source: string, file: string, line: string): string {
  const lines = source.split('\n');
  const last = lines.findLastIndex(isImport);
  if (last === -1) throw unexpected(file, 'imports of one line each');
  const after = lines.findIndex(
    (one) => isImport(one) && pathOf(one).startsWith('./') && pathOf(one) > pathOf(line),
  );
  lines.splice(after === -1 ? last + 1 : after, 0, line);
  return lines.join('\n');
}

/** Adds to a list between brackets, in order. */
function withWord(source: string, file: string, list: RegExp, word: string): string {
  if (!list.test(source)) throw unexpected(file, String(list));
  return source.replace(list, (_all, start: string, words: string, end: string) => {
    const others = words.split(',').map((one) => one.trim());
    const sorted = [...others.filter((one) => one !== ''), word].toSorted();
    return `${start}${sorted.join(', ')}${end}`;
  });
}

function unexpected(file: string, what: string): Refusal {
  return new Refusal(
    `packages/jobs/src/${file} is not as it was expected: no ${what}. Register the job by hand (docs/adding-a-job.md)`,
  );
}
