import type { Blobs } from '@fairlane/blobs';
import type { JobImplementation } from '@fairlane/sdk';
import { createAlertDispatch } from './alert-dispatch/handler.js';
import { createIncidentWebhook } from './alert-dispatch/incident-webhook.js';
import { createModelSummariser, localSummariser, type ModelOptions } from './alert-dispatch/summary.js';
import { createGatewayClient } from './outreach-send/gateway-client.js';
import { createOutreachSend } from './outreach-send/handler.js';
import { createReportImport } from './report-import/handler.js';
import { urlJobs } from './url-jobs.js';
import type { WebhookEndpoints } from './webhook-deliver/endpoints.js';
import { createWebhookDeliver } from './webhook-deliver/handler.js';

export { urlJobs, urlVariable } from './url-jobs.js';

export interface JobDependencies {
  /** Base URL of the outreach platform. */
  readonly gatewayUrl: string;
  /** Where whoever is on duty is reached. Left out: alerts reach nobody, and say so. */
  readonly incidentWebhookUrl?: string | undefined;
  /** The model that sums alerts up. Left out: they are summed up without one. */
  readonly summary?: ModelOptions | undefined;
  readonly webhookEndpoints: WebhookEndpoints;
  /** Whether webhooks may go to addresses inside the own network. */
  readonly allowPrivateTargets: boolean;
  /** Left out: jobs that need stored files are left to workers that have them. */
  readonly blobs?: Blobs | undefined;
  /** What the jobs of {@link urlJobs} call, by name. One left out: its jobs are left to workers that know it. */
  readonly urls?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Handlers of every job of the product, for workers. */
export function createImplementations(deps: JobDependencies): readonly JobImplementation[] {
  const { incidentWebhookUrl: incidents, summary, blobs, urls = {} } = deps;
  return [
    createAlertDispatch({
      incidents: incidents === undefined ? undefined : createIncidentWebhook({ url: incidents }),
      summariser: summary === undefined ? localSummariser : createModelSummariser(summary),
    }),
    createOutreachSend(createGatewayClient({ url: deps.gatewayUrl })),
    ...(blobs === undefined ? [] : [createReportImport({ blobs })]),
    createWebhookDeliver({ endpoints: deps.webhookEndpoints, allowPrivate: deps.allowPrivateTargets }),
    ...Object.entries(urlJobs).flatMap(([name, create]) => {
      const url = urls[name];
      return url === undefined ? [] : [create({ url })];
    }),
  ];
}
