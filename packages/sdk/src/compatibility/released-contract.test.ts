import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JobDefinition } from '../contract/contract.js';
import { defineJob } from '../contract/define-job.js';
import { compatibilityProblems, releaseContract, type ReleasedContract } from './index.js';

const base = z.object({ accountId: z.string(), invoiceId: z.string().max(8), note: z.string().optional() });

function job<S extends z.ZodType>(payload: S, more: Partial<JobDefinition<string, S>> = {}) {
  return defineJob({
    name: 'billing.charge',
    payload,
    account: (p) => (p as { accountId: string }).accountId,
    key: (p) => (p as { invoiceId: string }).invoiceId,
    ...more,
  });
}

/** As it comes back from its file. */
const released = JSON.parse(
  JSON.stringify(
    releaseContract(job(base), [
      { accountId: 'acme', invoiceId: 'i-1' },
      { accountId: 'acme', invoiceId: 'i-2', note: 'now', dropped: 1 },
      { accountId: 'acme' },
    ]),
  ),
) as ReleasedContract;

const problems = (contract: ReturnType<typeof job>, ...versions: ReleasedContract[]) =>
  compatibilityProblems(contract, versions.length === 0 ? [released] : versions);

describe('a released contract', () => {
  it('keeps the payloads that it takes, as they are stored, and the jobs they make', () => {
    expect(released).toMatchObject({ name: 'billing.charge', version: 1 });
    expect(released.samples).toEqual([
      {
        payload: { accountId: 'acme', invoiceId: 'i-1' },
        id: expect.stringMatching(/^[\w-]{22}$/) as unknown,
      },
      { payload: { accountId: 'acme', invoiceId: 'i-2', note: 'now' }, id: expect.any(String) as unknown },
    ]);
  });
});

describe('a contract whose version was released', () => {
  it('may stay as it is, and may become wider', () => {
    expect(problems(job(base))).toEqual([]);
    expect(problems(job(base.extend({ invoiceId: z.string(), more: z.string().optional() })))).toEqual([]);
  });

  it('is refused when it has become narrower, with what and why', () => {
    expect(problems(job(base.extend({ note: z.string().max(3).optional() })))).toEqual([
      'billing.charge version 1: note: its longest length is 3, and was not bound. Stored payloads would be refused: raise the version and add upgrades[1]',
    ]);
  });

  it('is refused when a refinement, which no schema shows, has made it narrower', () => {
    const refined = base.refine(({ note }) => note !== 'now', { path: ['note'], message: 'must not be now' });
    expect(problems(job(refined))).toEqual([
      expect.stringMatching(/version 1: a payload that it took cannot be read, .*note: must not be now: \{/),
    ]);
  });

  it('R12 is refused when its key or account has changed', () => {
    const keyed = job(base, { key: (p) => [p.invoiceId, 'x'] });
    expect(problems(keyed)).toEqual([expect.stringContaining('would be accepted once more')]);
  });

  it('is refused when it says an older version', () => {
    const ahead = { ...released, version: 3 };
    expect(problems(job(base), ahead)).toEqual([
      'billing.charge version 3: it was released, and the contract says version 1 again',
    ]);
  });
});

const withCurrency = (old: unknown) => ({ ...(old as object), currency: 'EUR' });

describe('a contract of a raised version', () => {
  const next = base.extend({ currency: z.string() });

  it('reads payloads of the released ones through its upgrades', () => {
    const contract = job(next, { version: 2, upgrades: { 1: withCurrency } });
    expect(problems(contract)).toEqual([]);
    // Key and account may be others: that is what a version can be raised for.
    expect(problems(job(next, { version: 2, upgrades: { 1: withCurrency }, key: () => 'all' }))).toEqual([]);
  });

  it('is refused without an upgrade from every released one', () => {
    const contract = job(next, { version: 3, upgrades: { 2: withCurrency } });
    expect(problems(contract)).toEqual([
      'billing.charge version 1: there is no upgrades[1], so its stored payloads cannot be read',
    ]);
  });

  it.each([
    ['leaves something out', (old: unknown) => old, 'currency: '],
    [
      'fails',
      () => {
        throw new Error('bug');
      },
      'the upgrade from version 1 failed',
    ],
  ])('is refused when its upgrade %s', (_what, upgrade, reason) => {
    const contract = job(next, { version: 2, upgrades: { 1: upgrade } });
    const [problem, ...others] = problems(contract);
    expect(problem).toContain('version 1: a payload that it took cannot be read');
    expect(problem).toContain(reason);
    expect(others).toEqual([]);
  });
});
