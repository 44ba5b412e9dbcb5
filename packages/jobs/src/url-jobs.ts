import type { JobImplementation } from '@fairlane/sdk';

/** Makes the implementation of a job from the URL that it calls. */
export type CreateUrlJob = (options: { readonly url: string }) => JobImplementation;

/** Jobs that call one URL each, which {@link urlVariable} names in the environment of workers. */
export const urlJobs: Readonly<Record<string, CreateUrlJob>> = {};

/** `JOB_BILLING_CHARGE_URL` for `billing.charge`. */
export function urlVariable(jobName: string): string {
  return `JOB_${jobName.replaceAll(/[.-]/g, '_').toUpperCase()}_URL`;
}
