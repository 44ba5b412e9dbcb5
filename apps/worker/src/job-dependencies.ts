import { urlJobs, urlVariable, type JobDependencies } from '@fairlane/jobs';
import { createRedisWebhookEndpoints } from '@fairlane/jobs/webhooks';
import { jobUrl, variables, type Environment, type EnvironmentIssue } from '@fairlane/runtime';
import type { WorkerEnvironment } from './environment.js';
import type { WorkerResources } from './run-worker.js';

const { OUTREACH_GATEWAY_URL, INCIDENT_WEBHOOK_URL, WEBHOOK_ALLOW_PRIVATE } = variables;
const { SUMMARY_BASE_URL, SUMMARY_API_KEY, SUMMARY_MODEL } = variables;

/** Variables of the product's jobs. */
export const jobVariables = {
  OUTREACH_GATEWAY_URL,
  INCIDENT_WEBHOOK_URL,
  SUMMARY_BASE_URL,
  SUMMARY_API_KEY,
  SUMMARY_MODEL,
  WEBHOOK_ALLOW_PRIVATE,
};

/** One for each job that calls a URL. */
export const jobUrlVariables: Readonly<Record<string, typeof jobUrl>> = Object.fromEntries(
  Object.keys(urlJobs).map((name) => [urlVariable(name), jobUrl]),
);

export type JobUrls = Environment<typeof jobUrlVariables>;

export type JobEnvironment = WorkerEnvironment & Environment<typeof jobVariables>;

/** What is wrong with the variables together. */
export function jobVariableIssues({
  SUMMARY_BASE_URL: url,
  SUMMARY_MODEL: model,
}: JobEnvironment): EnvironmentIssue[] {
  if (url !== undefined && model === undefined) {
    return [{ variable: 'SUMMARY_MODEL', message: 'must be set when SUMMARY_BASE_URL is' }];
  }
  return [];
}

export function jobDependencies(
  env: JobEnvironment,
  urls: JobUrls,
  { redis, blobs }: WorkerResources,
): JobDependencies {
  const { SUMMARY_BASE_URL: baseUrl, SUMMARY_MODEL: model, SUMMARY_API_KEY: apiKey } = env;
  return {
    gatewayUrl: env.OUTREACH_GATEWAY_URL,
    incidentWebhookUrl: env.INCIDENT_WEBHOOK_URL,
    summary: baseUrl === undefined || model === undefined ? undefined : { baseUrl, model, apiKey },
    webhookEndpoints: createRedisWebhookEndpoints({ client: redis, prefix: env.FAIRLANE_PREFIX }),
    allowPrivateTargets: env.WEBHOOK_ALLOW_PRIVATE,
    blobs,
    urls: Object.fromEntries(Object.keys(urlJobs).map((name) => [name, urls[urlVariable(name)]])),
  };
}
