import type { Blobs } from '@fairlane/blobs';
import { maskSensitive, parsePayload } from '@fairlane/sdk';
import { describe, expect, it } from 'vitest';
import { catalogue, contracts, outreachSend, reportImport } from './contracts.js';
import { createImplementations, urlJobs, type JobDependencies } from './index.js';
import type { WebhookEndpoints } from './webhooks.js';

/** Never called here. */
const blobs = {} as Blobs;
const webhookEndpoints = {} as WebhookEndpoints;

const url = 'http://127.0.0.1:1';
const urls = Object.fromEntries(Object.keys(urlJobs).map((name) => [name, url]));

function implemented(changes: Partial<JobDependencies> = {}) {
  const deps = { gatewayUrl: url, webhookEndpoints, allowPrivateTargets: false, blobs, urls };
  return new Set(createImplementations({ ...deps, ...changes }).map(({ contract }) => contract));
}

const payload = {
  accountId: 'acme',
  leadId: 'lead-1',
  step: 1,
  campaignRev: 2,
  channel: 'sms' as const,
  to: 'ann@example.com',
  body: 'Hello',
};

describe('the catalogue', () => {
  it('has the queues and slots that are shipped', () => {
    const slots = Object.entries(catalogue.queues.definitions).map(([name, queue]) => [
      name,
      queue.slots.max,
    ]);
    expect(Object.fromEntries(slots)).toEqual({
      critical: 10,
      outreach: 10,
      webhooks: 10,
      bulk: 3,
      analytics: 1,
    });
  });

  it('has the limit groups that are shipped', () => {
    expect(Object.keys(catalogue.limitGroups).toSorted()).toEqual([
      'crm',
      'default',
      'email',
      'incident',
      'sms',
      'webhook',
    ]);
  });

  it('has an implementation of every job', () => {
    expect(implemented()).toEqual(new Set<unknown>(contracts));
    expect(catalogue.jobs).toEqual([...contracts]);
  });

  it('leaves jobs that need stored files to workers that have them', () => {
    const others = contracts.filter((one) => one !== reportImport);
    expect(implemented({ blobs: undefined })).toEqual(new Set<unknown>(others));
  });

  it('leaves jobs that call a URL to workers that know it', () => {
    const others = contracts.filter(({ name }) => !(name in urlJobs));
    expect(implemented({ urls: {} })).toEqual(new Set<unknown>(others));
  });

  it.each([
    ['alert.dispatch', 'critical', 'incident'],
    ['webhook.deliver', 'webhooks', 'webhook'],
    ['report.import', 'bulk', 'default'],
  ])('sends %s to %s, under the limits of %s', (name, queue, group) => {
    const contract = catalogue.job(name);
    const sample = {} as never;
    expect(contract && [catalogue.queueFor(contract, sample), contract.limitGroup(sample)]).toEqual([
      queue,
      group,
    ]);
  });
});

describe('outreach.send', () => {
  it('goes to outreach, under the limits of its channel', () => {
    expect(catalogue.queueFor(outreachSend, payload)).toBe('outreach');
    expect(outreachSend.limitGroup(payload)).toBe('sms');
    expect(outreachSend.key(payload)).toEqual(['lead-1', 1, 2]);
  });

  it('takes numbers and names for steps and revisions', () => {
    expect(parsePayload(outreachSend, { ...payload, step: 'intro', campaignRev: 'r2' }).ok).toBe(true);
    expect(parsePayload(outreachSend, { ...payload, step: 1.5 }).ok).toBe(false);
  });

  it('hides the person and the text', () => {
    expect(maskSensitive(outreachSend, payload)).toEqual({
      ...payload,
      to: '[redacted]',
      body: '[redacted]',
    });
  });
});
