import { maskSensitive, parsePayload } from '@fairlane/sdk';
import { describe, expect, it } from 'vitest';
import { catalogue, contracts, outreachSend } from './contracts.js';
import { createImplementations } from './index.js';

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
    const implemented = createImplementations({ gatewayUrl: 'http://127.0.0.1:1' }).map(
      ({ contract }) => contract,
    );
    expect(implemented).toEqual([...contracts]);
    expect(catalogue.jobs).toEqual([...contracts]);
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
