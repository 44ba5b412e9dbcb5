import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createCatalogue } from './catalogue.js';
import type { JobContract } from '../contract/contract.js';
import { defineJob } from '../contract/define-job.js';
import { DefinitionError, PayloadError } from '../errors/errors.js';
import { defineLimitGroups, MAX_LIMIT_GROUPS } from './limit-groups.js';
import { defineQueues, type Queues } from './queues.js';

const limitGroups = defineLimitGroups({ email: {}, sms: {} });
const queues = defineQueues(
  { fast: { slots: 10 }, bulk: { slots: { min: 1, max: 3 }, weight: 2 } },
  { rules: [{ when: (job) => job.account === 'vip', queue: 'fast' }, { queue: 'bulk' }] },
);
const base = {
  payload: z.object({ account: z.string(), id: z.string() }),
  account: (p: { account: string }) => p.account,
  key: (p: { id: string }) => [p.id],
};
const print = defineJob({ ...base, name: 'invoice.print' });
const send = defineJob({ ...base, name: 'invoice.send', queue: 'fast', limitGroup: 'email' });
const payload = { account: 'acme', id: '1' };

const catalogueOf = (jobs: JobContract[], q: Queues = queues) =>
  createCatalogue({ jobs, queues: q, limitGroups });

function many(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`g${i}`, {}]));
}

describe('catalogue', () => {
  const catalogue = catalogueOf([print, send]);

  it('finds a contract by its name and nothing by any other text', () => {
    expect(catalogue.job('invoice.send')).toBe(send);
    for (const name of ['', 'invoice', '__proto__', 'constructor', 'toString']) {
      expect(catalogue.job(name)).toBeUndefined();
    }
    expect(catalogue.jobs).toEqual([print, send]);
  });

  it("sends a job to its contract's queue, else to that of the first rule that holds", () => {
    expect(catalogue.queueFor(send, payload)).toBe('fast');
    expect(catalogue.queueFor(print, payload)).toBe('bulk');
    expect(catalogue.queueFor(print, { ...payload, account: 'vip' })).toBe('fast');
  });

  it('refuses two jobs of one name', () => {
    expect(() => catalogueOf([print, send, defineJob({ ...base, name: 'invoice.print' })])).toThrow(
      new DefinitionError('two jobs are named invoice.print'),
    );
  });

  it('refuses an undeclared queue', () => {
    const lost = defineJob({ ...base, name: 'invoice.lose', queue: 'nowhere' });
    expect(() => catalogueOf([lost])).toThrow('job invoice.lose: its queue nowhere is not declared');
  });

  it('refuses a job that no rule is sure to take', () => {
    const partial = defineQueues({ fast: { slots: 1 } }, { rules: [{ when: () => false, queue: 'fast' }] });
    expect(() => catalogueOf([print], partial)).toThrow(
      'names no queue and no last routing rule takes every job',
    );
    expect(() => catalogueOf([print], defineQueues({ fast: { slots: 1 } }))).toThrow(DefinitionError);
    expect(() => catalogueOf([send], partial)).not.toThrow();
  });

  it('refuses an undeclared limit group', () => {
    const lost = defineJob({ ...base, name: 'invoice.lose', limitGroup: 'fax' });
    expect(() => catalogueOf([lost])).toThrow('job invoice.lose: its limit group "fax" is not declared');
  });

  it.each([
    ['one of an enumeration', z.object({ ...base.payload.shape, channel: z.enum(['email', 'sms', 'fax']) })],
    ['one of literals', z.object({ ...base.payload.shape, channel: z.literal(['email', 'fax']) })],
    ['nullable', z.object({ ...base.payload.shape, channel: z.enum(['email', 'fax']).nullable() })],
  ])('refuses an undeclared limit group that a payload may name: %s', (_what, schema) => {
    const lost = defineJob({
      name: 'invoice.lose',
      payload: schema,
      account: base.account,
      key: base.key,
      limitGroup: (p) => p.channel ?? 'email',
    });
    expect(() => catalogueOf([lost])).toThrow('its limit group "fax" is not declared');
  });

  it('refuses an undeclared limit group of a payload where free text names it', () => {
    const free = defineJob({
      ...base,
      name: 'invoice.free',
      payload: z.object({ account: z.string(), id: z.string(), group: z.string() }),
      limitGroup: (p: { group: string }) => p.group,
    });
    const catalogue = catalogueOf([free]);
    expect(catalogue.queueFor(free, { ...payload, group: 'email' })).toBe('bulk');
    for (const group of ['fax', '__proto__', 'constructor']) {
      expect(() => catalogue.queueFor(free, { ...payload, group })).toThrow(PayloadError);
    }
  });
});

const defaultBounds = { maxWaiting: 1_000_000, maxWaitingPerAccount: 500_000 };

describe('queues', () => {
  it('reads a number of slots as a fixed range', () => {
    expect(queues.definitions).toEqual({
      fast: { slots: { min: 10, max: 10 }, weight: 1, ...defaultBounds },
      bulk: { slots: { min: 1, max: 3 }, weight: 2, ...defaultBounds },
    });
  });

  it('R14 lets an account have half of what may wait, where it does not say otherwise', () => {
    const { definitions } = defineQueues({
      small: { slots: 1, maxWaiting: 9 },
      fair: { slots: 1, maxWaiting: 9, maxWaitingPerAccount: 2 },
    });
    expect(definitions.small).toMatchObject({ maxWaiting: 9, maxWaitingPerAccount: 5 });
    expect(definitions.fair).toMatchObject({ maxWaiting: 9, maxWaitingPerAccount: 2 });
  });

  it.each([
    ['no queue', {}, [], 'no queues declared'],
    ['a bad name', { 'My Queue': { slots: 1 } }, [], 'queue "My Queue" is not a valid name'],
    ['no slot', { a: { slots: 0 } }, [], 'queue a: slots must be whole numbers with 1 <= min <= max <= 1000'],
    ['half a slot', { a: { slots: 1.5 } }, [], 'queue a: slots must be whole numbers'],
    ['a range upside down', { a: { slots: { min: 3, max: 2 } } }, [], 'queue a: slots must be whole numbers'],
    ['too many slots', { a: { slots: 1_001 } }, [], 'queue a: slots must be whole numbers'],
    ['no weight', { a: { slots: 1, weight: 0 } }, [], 'queue a: weight must be above 0'],
    [
      'no room',
      { a: { slots: 1, maxWaiting: 0 } },
      [],
      'queue a: maxWaiting must be a whole number of at least 1',
    ],
    [
      'a bound that is never reached',
      { a: { slots: 1, maxWaiting: 5, maxWaitingPerAccount: 6 } },
      [],
      'queue a: maxWaitingPerAccount is above maxWaiting (5), so it would never be reached',
    ],
    [
      'a rule to nowhere',
      { a: { slots: 1 } },
      [{ queue: 'b' }],
      'routing rule 1 names the queue b, which is not declared',
    ],
    [
      'a rule that hides others',
      { a: { slots: 1 } },
      [{ queue: 'a' }, { queue: 'a' }],
      'routing rule 1 always holds, so the rules after it are never reached',
    ],
  ])('refuse %s', (_what, definitions, rules, reason) => {
    const define = () => defineQueues(definitions as Record<string, { slots: number }>, { rules });
    expect(define).toThrow(DefinitionError);
    expect(define).toThrow(reason);
  });
});

describe('limit groups', () => {
  it('always hold the group default', () => {
    expect(Object.keys(limitGroups).toSorted()).toEqual(['default', 'email', 'sms']);
  });

  it('R14 are bounded in number', () => {
    expect(() => defineLimitGroups(many(MAX_LIMIT_GROUPS - 1))).not.toThrow();
    expect(() => defineLimitGroups(many(MAX_LIMIT_GROUPS))).toThrow(
      '33 limit groups declared, at most 32 are possible',
    );
  });

  it.each([
    [{ 'E Mail': {} }, 'limit group "E Mail" is not a valid name'],
    [
      { a: { default: { limit: 0, perMs: 1 } } },
      'limit group a: default.limit must be a whole number from 1, not 0',
    ],
    [
      { a: { default: { limit: 1 } } },
      'limit group a: default.perMs must be a whole number from 1, not undefined',
    ],
    [
      { a: { total: { limit: 1, perMs: 1, burst: -1 } } },
      'limit group a: total.burst must be a whole number from 1',
    ],
    [
      { a: { total: { limit: 1, perMs: 1, maxInFlight: 0.5 } } },
      'total.maxInFlight must be a whole number from 1',
    ],
  ])('refuse %j', (groups, reason) => {
    expect(() => defineLimitGroups(groups as never)).toThrow(reason);
  });
});
