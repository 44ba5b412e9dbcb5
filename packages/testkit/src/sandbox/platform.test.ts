import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { accountPatchesSchema } from './protocol.js';
import { campaignAccounts, powerLawShares } from './campaign-accounts.js';
import { Platform } from './platform.js';

const everyFault = {
  rate429: 0.15,
  rate500: 0.15,
  stall: 0.1,
  cutBefore: 0.1,
  cutAfter: 0.1,
  gone: 0.1,
  invalid: 0.1,
};
const requests = ['a', 'b', 'c'].flatMap((account) =>
  Array.from({ length: 60 }, (_, nth) => ({
    account,
    reference: `${account}/${nth % 20}`,
    leadId: `l${nth % 20}`,
  })),
);

function play(seed: number, order: readonly (typeof requests)[number][]) {
  const platform = new Platform({ seed });
  for (const [index, account] of ['a', 'b', 'c'].entries()) {
    const kind = (['keys', 'lookup', 'blind'] as const)[index];
    const [patch] = [accountPatchesSchema.parse({ account, kind, faults: everyFault })].flat();
    if (patch !== undefined) platform.setAccount(patch, 0);
  }
  const message = { step: 1, campaignRev: 1, channel: 'email', to: 'x@example.com', body: '' };
  for (const { account, reference, leadId } of order) {
    platform.arrive(account, 0);
    platform.send(account, reference, { ...message, reference, leadId }, 0);
  }
  return platform.report(true);
}

describe('determinism by seed', () => {
  it('gives the same record whatever the order in which references arrive', () => {
    const expected = play(7, requests);
    fc.assert(
      fc.property(fc.shuffledSubarray(requests, { minLength: requests.length }), (order) => {
        expect(play(7, order)).toEqual(expected);
      }),
      { numRuns: 50, seed: 3 },
    );
  });

  it('gives other faults under another seed', () => {
    expect(play(8, requests)).not.toEqual(play(7, requests));
  });

  it('draws every fault about as often as its probability says', () => {
    const platform = new Platform({ seed: 7 });
    const faults = { ...everyFault, gone: 0, invalid: 0 };
    const [patch] = [accountPatchesSchema.parse({ account: 'a', faults })].flat();
    if (patch !== undefined) platform.setAccount(patch, 0);
    const message = { leadId: 'l', step: 1, campaignRev: 1, channel: 'email', to: 'x', body: '' };
    const seen: Record<string, number> = {};
    for (let nth = 0; nth < 10_000; nth += 1) {
      const outcome = platform.send('a', undefined, { ...message, reference: `r${nth}` }, 0);
      const name = typeof outcome === 'string' ? outcome : String(outcome.status);
      seen[name] = (seen[name] ?? 0) + 1;
    }
    // Five standard deviations of a share of 10,000 are below 0.025.
    const share = (name: string) => (seen[name] ?? 0) / 10_000;
    expect(share('429')).toBeCloseTo(0.15, 1);
    expect(share('stall')).toBeCloseTo(0.1, 1);
    expect(share('cut')).toBeCloseTo(0.2, 1);
    expect(share('500') + share('502') + share('503') + share('504')).toBeCloseTo(0.15, 1);
    expect(share('200')).toBeCloseTo(0.4, 1);
  });
});

describe('accounts of a campaign', () => {
  it.each([2, 5, 40, 1_000])('%i accounts share by a power law, half of it in the largest', (count) => {
    const shares = powerLawShares(count);
    expect(shares[0]).toBeCloseTo(0.5, 6);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(shares.toSorted((a, b) => b - a)).toEqual(shares);
  });

  const options = { accounts: 40, jobs: 3_000, limits: true, faults: true, seconds: 20 } as const;

  function kindsOf(kinds: 'keys' | 'mixed') {
    const accounts = accountPatchesSchema.parse(campaignAccounts({ ...options, kinds }));
    return [accounts].flat().map(({ kind }) => kind);
  }

  it('are valid accounts, all of one kind or of five three, one and a few small ones', () => {
    expect(new Set(kindsOf('keys'))).toEqual(new Set(['keys']));
    const mixed = kindsOf('mixed');
    expect(mixed.filter((kind) => kind === 'lookup')).toHaveLength(8);
    expect(mixed.filter((kind) => kind === 'blind')).toHaveLength(4);
    expect(mixed.slice(0, 20)).not.toContain('blind');
  });

  it('have limits that let the campaign through in about the time asked for', () => {
    for (const [index, { limit }] of campaignAccounts({ ...options, kinds: 'keys' }).entries()) {
      const jobs = (powerLawShares(40)[index] ?? 0) * 3_000;
      const seconds = (jobs / (limit?.limit ?? 0)) * ((limit?.perMs ?? 0) / 1_000);
      expect(seconds).toBeLessThanOrEqual(20);
    }
  });
});
