import { maskSensitive, sensitiveFields, type Catalogue } from '@fairlane/sdk';

/** What may be shown of the payloads of a job, by the job's name. */
export interface PayloadRules {
  /** The payload with every sensitive field replaced. */
  mask(jobName: string, payload: unknown): unknown;
  /** Whether payloads hold such fields at all, so that what cannot be masked must not be shown. */
  isSensitive(jobName: string): boolean;
}

/** Rules of the contracts in a catalogue. Of a job that has no contract here nothing is shown. */
export function payloadRules(catalogue: Catalogue): PayloadRules {
  const sensitive = new Map(catalogue.jobs.map((job) => [job.name, sensitiveFields(job).length > 0]));
  return {
    mask(jobName, payload) {
      const contract = catalogue.job(jobName);
      return contract
        ? maskSensitive(contract, payload)
        : {
            hidden: 'No contract of this version names this job, so nobody knows which fields are sensitive.',
          };
    },
    isSensitive: (jobName) => sensitive.get(jobName) ?? true,
  };
}
