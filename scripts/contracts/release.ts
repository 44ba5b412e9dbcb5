import { isDeepStrictEqual } from 'node:util';
import {
  compatibilityProblems,
  releaseContract,
  type ReleasedContract,
} from '../../packages/sdk/src/compatibility/index.js';
import type { Catalogue } from '../../packages/sdk/src/index.js';
import type { ReleasedFiles } from './files.js';
import { generateSamples } from './samples.js';

type Contract = Catalogue['jobs'][number];

/** Fewer would say little about a contract. */
const MIN_SAMPLES = 3;
const MAX_SAMPLES = 16;

/** What was looked at. `unreleased` is no problem: payloads of it are stored nowhere but on machines of its authors. */
export interface ContractReport {
  readonly problems: readonly string[];
  /** Versions without a file yet, and such that have become wider than their file; as `name vN`. */
  readonly unreleased: readonly string[];
}

/** Whether the jobs there are still read payloads of every version that was released. */
export function checkContracts(jobs: readonly Contract[], files: ReleasedFiles): ContractReport {
  const gone = files.names().filter((name) => jobs.every((job) => job.name !== name));
  const problems = gone.map(
    (name) =>
      `${name} was released and is not in the catalogue: its stored jobs would wait for ever. Remove packages/jobs/contracts/${name} once there are none`,
  );
  problems.push(...jobs.flatMap((job) => compatibilityProblems(job, files.versions(job.name))));
  const unreleased = jobs
    .filter((job) => !isReleased(job, files))
    .map(({ name, version }) => `${name} v${version}`);
  return { problems, unreleased };
}

/** Versions to be written, or why there is nothing to write. */
export function contractsToRelease(
  jobs: readonly Contract[],
  files: ReleasedFiles,
): { readonly problems: readonly string[]; readonly released: readonly ReleasedContract[] } {
  const { problems } = checkContracts(jobs, files);
  if (problems.length > 0) return { problems, released: [] };
  const released = jobs.filter((job) => !isReleased(job, files)).map((job) => toRelease(job, files));
  const poor = released.filter(({ samples }) => samples.length < MIN_SAMPLES);
  return {
    problems: poor.map(
      ({ name, samples }) =>
        `${name}: of the payloads made from its schema it takes ${samples.length}, and ${MIN_SAMPLES} are needed. Write some that it takes to packages/jobs/contracts/${name}/samples.json, as a list`,
    ),
    released: poor.length > 0 ? [] : released,
  };
}

/** What an earlier release of this version took stays: it may be stored still. */
function toRelease(job: Contract, files: ReleasedFiles): ReleasedContract {
  const earlier = files.versions(job.name).find(({ version }) => version === job.version);
  const { schema } = releaseContract(job, []);
  const known = [...files.samplesByHand(job.name), ...(earlier?.samples ?? []).map(({ payload }) => payload)];
  const candidates = [...known, ...generateSamples(schema)];
  const different = candidates.filter(
    (one, index) => candidates.findIndex((other) => isDeepStrictEqual(one, other)) === index,
  );
  const release = releaseContract(job, different);
  return { ...release, samples: release.samples.slice(0, Math.max(MAX_SAMPLES, known.length)) };
}

function isReleased(job: Contract, files: ReleasedFiles): boolean {
  const found = files.versions(job.name).find(({ version }) => version === job.version);
  // As they are in files: without members that are undefined.
  const current: unknown = JSON.parse(JSON.stringify(releaseContract(job, []).schema));
  return found !== undefined && isDeepStrictEqual(found.schema, current);
}
