import { describe, expect, it } from 'vitest';
import { toJobView, type InspectedJob } from './job-view.js';

function inspected(fields: Record<string, string>, rest: Partial<InspectedJob> = {}): InspectedJob {
  return {
    id: 'AAAAAAAAAAAAAAAAAAAAAA',
    queue: 'parcels',
    state: 'ready',
    nowMs: Date.UTC(2026, 0, 15),
    heldReason: undefined,
    nextRunAtMs: undefined,
    leaseMs: -2,
    fields: new Map(Object.entries(fields)),
    ...rest,
  };
}

describe('toJobView', () => {
  it('A23 shows a hash without any field', () => {
    expect(toJobView(inspected({}))).toEqual({
      id: 'AAAAAAAAAAAAAAAAAAAAAA',
      key: '',
      name: '',
      version: 0,
      queue: 'parcels',
      account: '',
      limitGroup: 'default',
      state: 'ready',
      priority: 0,
      attempts: { made: 0, max: 0 },
      stalls: 0,
      createdAt: '1970-01-01T00:00:00.000Z',
      effects: [],
    });
  });

  it.each([
    'opts',
    'data',
    'progress',
    'flErrors',
    'returnvalue',
    'timestamp',
    'finishedOn',
    'atm',
    'priority',
    'stc',
  ])('A23 shows a hash with rubbish in %s', (field) => {
    for (const rubbish of [
      '{bad',
      'null',
      '1e999',
      '-5',
      '[]',
      '{"lane":7}',
      '{"lane":null,"key":7}',
      '[null,7]',
    ]) {
      const view = toJobView(inspected({ [field]: rubbish }, { state: 'completed' }));
      expect(() => JSON.stringify(view)).not.toThrow();
    }
  });

  it('tells when a scheduled job is due and how long a lease lasts', () => {
    const nowMs = Date.UTC(2026, 0, 15);
    expect(toJobView(inspected({}, { state: 'scheduled', nextRunAtMs: nowMs + 5_000 }))).toMatchObject({
      nextRunAt: '2026-01-15T00:00:05.000Z',
    });
    expect(toJobView(inspected({ pb: 'w-1' }, { state: 'active', leaseMs: 2_500 }))).toMatchObject({
      leaseExpiresAt: '2026-01-15T00:00:02.500Z',
      worker: 'w-1',
    });
  });

  it('shows a result only of a completed job, and the last error without what is for the history', () => {
    const errors = JSON.stringify([
      { code: 'timeout', class: 'retryable', message: 'late', at: 'T1', attempt: 1 },
      { code: 'target_gone', class: 'permanent', message: 'gone', status: 404, at: 'T2', attempt: 2 },
    ]);
    const fields = { returnvalue: '{"a":1}', flErrors: errors, finishedOn: '1768435200000' };
    const dead = toJobView(inspected(fields, { state: 'dead' }));
    expect(dead).toMatchObject({ finishedAt: '2026-01-15T00:00:00.000Z' });
    expect(dead.lastError).toEqual({
      code: 'target_gone',
      class: 'permanent',
      message: 'gone',
      status: 404,
      at: 'T2',
    });
    expect(dead.failures?.map(({ at }) => at)).toEqual(['T2', 'T1']);
    expect(dead.result).toBeUndefined();
    expect(toJobView(inspected(fields, { state: 'completed' })).result).toEqual({ a: 1 });
  });
});
