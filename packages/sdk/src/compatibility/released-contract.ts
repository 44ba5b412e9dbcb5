import type { JobContract } from '../contract/contract.js';
import { identify } from '../payload/identity.js';
import { parsePayload, readStoredPayload } from '../payload/payload.js';
import { acceptedSchema, payloadSchema, type PayloadSchema } from '../schema/payload-schema.js';
import { narrowings } from './narrowings.js';

/** A payload that the released version took, and the job it made. */
export interface ReleasedSample {
  readonly payload: unknown;
  readonly id: string;
}

/** A version of a contract as it was released: payloads of it may be stored anywhere. JSON. */
export interface ReleasedContract {
  readonly name: string;
  readonly version: number;
  /** JSON Schema of the payloads as they are stored. */
  readonly schema: PayloadSchema;
  readonly samples: readonly ReleasedSample[];
}

/**
 * The current version of a contract, to be kept.
 *
 * @param candidates payloads; those that the contract refuses are left out.
 */
export function releaseContract(contract: JobContract, candidates: Iterable<unknown>): ReleasedContract {
  const { name, version } = contract;
  const samples = [...candidates].flatMap((candidate): ReleasedSample[] => {
    const parsed = parsePayload(contract, candidate);
    return parsed.ok ? [{ payload: parsed.payload, id: identify(contract, parsed.payload).id }] : [];
  });
  return { name, version, schema: payloadSchema(contract.payload), samples };
}

/** What keeps a contract from reading payloads of its released versions, or makes other jobs of them; in words. */
export function compatibilityProblems(
  contract: JobContract,
  released: readonly ReleasedContract[],
): string[] {
  return released.flatMap((earlier) => {
    const problems = problemsWith(contract, earlier);
    return problems.map((problem) => `${contract.name} version ${earlier.version}: ${problem}`);
  });
}

function problemsWith(contract: JobContract, released: ReleasedContract): string[] {
  const { version } = contract;
  if (released.version > version) return [`it was released, and the contract says version ${version} again`];
  if (released.version < version) return upgradeProblems(contract, released);
  const narrower = narrowings(released.schema, acceptedSchema(contract.payload));
  if (narrower.length > 0) {
    return narrower.map(
      (reason) =>
        `${reason}. Stored payloads would be refused: raise the version and add upgrades[${version}]`,
    );
  }
  const unread = sampleProblems(contract, released);
  return unread.length > 0 ? unread : identityProblems(contract, released);
}

function upgradeProblems(contract: JobContract, released: ReleasedContract): string[] {
  for (let from = released.version; from < contract.version; from += 1) {
    if (contract.upgrades[from] !== undefined) continue;
    return [`there is no upgrades[${from}], so its stored payloads cannot be read`];
  }
  return sampleProblems(contract, released);
}

/** The first sample that is not read any more is enough to see why. */
function sampleProblems(contract: JobContract, { version, samples }: ReleasedContract): string[] {
  for (const { payload } of samples) {
    try {
      readStoredPayload(contract, version, payload);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return [`a payload that it took cannot be read, ${reason}: ${JSON.stringify(payload)}`];
    }
  }
  return [];
}

function identityProblems(contract: JobContract, { samples }: ReleasedContract): string[] {
  const other = samples.find(({ payload, id }) => {
    const parsed = parsePayload(contract, payload);
    return parsed.ok && identify(contract, parsed.payload).id !== id;
  });
  if (other === undefined) return [];
  return [
    `account or key of a payload have changed, so work that is under way or done would be accepted once more: ${JSON.stringify(other.payload)}. Raise the version where that is meant`,
  ];
}
