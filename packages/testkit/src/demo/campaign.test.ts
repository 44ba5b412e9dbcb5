import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { campaignSizes, divide, generateCampaign } from './campaign.js';

const accounts = Array.from({ length: 40 }, (_, index) => `account-${index}`);
const campaign = (seed: number, jobs = 3_000) => [...generateCampaign(accounts, jobs, seed)];

describe('a generated campaign', () => {
  it('is the same for the same seed and another for another', () => {
    expect(campaign(1)).toEqual(campaign(1));
    expect(campaign(1)).not.toEqual(campaign(2));
  });

  it('gives the largest account about half, and every account something', () => {
    const sizes = new Map<string, number>();
    for (const { accountId } of campaign(1)) sizes.set(accountId, (sizes.get(accountId) ?? 0) + 1);
    expect(sizes.size).toBe(40);
    expect(Math.max(...sizes.values())).toBeGreaterThan(1_400);
    expect(Math.max(...sizes.values())).toBeLessThan(1_600);
  });

  it('leaves no account out as long as there is a job for each', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(2_000), (count, more) => {
        const sizes = campaignSizes(count, count + more);
        expect(Math.min(...sizes)).toBeGreaterThanOrEqual(1);
        expect(sizes.reduce((a, b) => a + b, 0)).toBe(count + more);
      }),
    );
    expect(campaignSizes(41, 200)[0]).toBe(100);
    expect(campaignSizes(41, 7).reduce((a, b) => a + b, 0)).toBe(7);
  });

  it('holds every lead, step and revision of an account once', () => {
    const keys = campaign(3).map((p) => `${p.accountId} ${p.leadId} ${p.step} ${p.campaignRev}`);
    expect(new Set(keys).size).toBe(3_000);
  });

  it('keeps an account to one channel', () => {
    const channels = new Map<string, Set<string>>();
    for (const { accountId, channel } of campaign(1)) {
      channels.set(accountId, (channels.get(accountId) ?? new Set()).add(channel));
    }
    expect([...channels.values()].every(({ size }) => size === 1)).toBe(true);
  });

  it('divides without losing or inventing jobs, each part off by less than one', () => {
    const weights = fc.array(fc.double({ min: 0.001, max: 1_000, noNaN: true }), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.nat(100_000), weights, (total, values) => {
        const sum = values.reduce((a, b) => a + b, 0);
        const shares = values.map((value) => value / sum);
        const parts = divide(total, shares);
        expect(parts.reduce((a, b) => a + b, 0)).toBe(total);
        for (const [index, part] of parts.entries()) {
          expect(Math.abs(part - (shares[index] ?? 0) * total)).toBeLessThan(1.001);
        }
      }),
    );
  });
});
