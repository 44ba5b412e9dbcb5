import type { GateView } from '@fairlane/lanes';
import type { AccountView } from '@fairlane/queue';
import { describe, expect, it } from 'vitest';
import { explain } from './explain.js';

/** Wednesday, 14:00 UTC, 15:00 in Paris. */
const now = Date.parse('2026-12-02T14:00:00Z');
const minuteMs = 60_000;

const noJobs = {
  ready: 0,
  held: 0,
  active: 0,
  scheduled: 0,
  retrying: 0,
  dead: 0,
  completed: 0,
  cancelled: 0,
};

function view(changes: Partial<AccountView> = {}, counts: Partial<AccountView['counts']> = {}): AccountView {
  return {
    account: 'a1',
    weight: 1,
    paused: null,
    windows: null,
    counts: { ...noJobs, ...counts },
    gates: [],
    lanes: [],
    nextRunAt: null,
    estimatedDrainAt: null,
    lastError: null,
    lastCompletedAt: null,
    ...changes,
  };
}

/** An account whose `held` jobs of the group wait at a gate closed for a reason. */
function heldView(held: number, gate: Partial<GateView>, changes: Partial<AccountView> = {}): AccountView {
  const limits = { intervalMs: null, burst: null, maxInFlight: null, ...gate.limits };
  const group = gate.group ?? 'email';
  return view(
    {
      gates: [{ tokens: null, inFlight: 0, ...gate, group, limits }],
      lanes: [{ queue: 'outreach', group, ready: 0, held, oldestEligibleAgeMs: null, oldestWaitingAgeMs: 1 }],
      ...changes,
    },
    { held, ...changes.counts },
  );
}

const perMinute = { intervalMs: 1_000, burst: 60, maxInFlight: null };
const parisOffice = [{ zone: 'Europe/Paris', days: [1, 2, 3, 4, 5], from: '09:00', to: '12:00' }];
const paused = { by: 'ops-anna', at: Date.parse('2026-12-02T12:02:00Z') };

describe('explain, one cause', () => {
  it.each<[string, AccountView, string]>([
    [
      'over its rate',
      heldView(
        1240,
        { reason: 'rate_limit', opensAt: now + 20_000, limits: perMinute },
        { estimatedDrainAt: now + 25 * minuteMs },
      ),
      '1,240 jobs wait because this account may start 60 a minute; the next goes at 14:00:20 (UTC), the last at about 14:25 (UTC).',
    ],
    [
      'at its cap',
      heldView(340, {
        reason: 'in_flight',
        inFlight: 5,
        limits: { intervalMs: null, burst: null, maxInFlight: 5 },
      }),
      '340 jobs wait because all 5 allowed at once are still running.',
    ],
    [
      'outside its window',
      heldView(512, { reason: 'window' }, { windows: parisOffice }),
      'Nothing starts until the hours of this account begin at Thursday 09:00 (Paris); 512 jobs wait.',
    ],
    [
      'paused',
      heldView(1, { reason: 'paused' }, { paused }),
      'Nothing starts because ops-anna paused this account at 12:02 (UTC); 1 job waits until someone resumes it.',
    ],
    [
      'throttled by the outside',
      heldView(12, { reason: 'throttled', opensAt: now + 10 * minuteMs }),
      'The provider behind email asked us to slow down; it goes on at 14:10 (UTC), and 12 jobs wait for it.',
    ],
    [
      'group total reached',
      heldView(7, { reason: 'group_total', opensAt: now + 4 * minuteMs }),
      'This account is within its limits, but all accounts together reached the email total; its next turn comes at 14:04 (UTC), and 7 jobs wait.',
    ],
    ['workers busy', view({}, { ready: 18 }), 'No limit applies: 18 jobs wait for a free worker.'],
    [
      'backing off',
      view({ nextRunAt: now + 6 * minuteMs }, { retrying: 12 }),
      'Nothing is due: 12 jobs are scheduled or will be tried again, the first at 14:06 (UTC).',
    ],
    ['running', view({}, { active: 1 }), '1 job is running and nothing waits.'],
    [
      'nothing queued',
      view({ lastCompletedAt: now - 122 * minuteMs }, { completed: 9 }),
      'Nothing is waiting; the last job succeeded at 11:58 (UTC).',
    ],
    ['all dead', view({}, { dead: 37 }), 'Nothing is waiting: 37 jobs failed for good.'],
    ['never used', view(), 'Nothing is waiting, and nothing has run yet.'],
  ])('%s', (_situation, account, sentence) => {
    expect(explain(account, now)).toBe(sentence);
  });
});

describe('explain, two causes', () => {
  it('what needs a person leads, and what holds after it is named', () => {
    expect(explain(heldView(5, { reason: 'paused' }, { paused, windows: parisOffice }), now)).toBe(
      'Nothing starts because ops-anna paused this account at 13:02 (Paris); 5 jobs wait until someone resumes it. ' +
        'Once resumed, the hours of the account still hold it until Thursday 09:00 (Paris).',
    );
  });

  it('else what opens last leads', () => {
    const throttled = { reason: 'throttled', opensAt: Date.parse('2026-12-02T14:30:00Z') } as const;
    expect(explain(heldView(5, throttled, { windows: parisOffice }), now)).toBe(
      'Nothing starts until the hours of this account begin at Thursday 09:00 (Paris); 5 jobs wait. ' +
        'Before that, the provider behind email still holds it until 15:30 (Paris).',
    );
    const longer = { reason: 'throttled', opensAt: Date.parse('2026-12-03T10:00:00Z') } as const;
    expect(explain(heldView(5, longer, { windows: parisOffice }), now)).toMatch(
      /^The provider behind email asked us to slow down; it goes on at Thursday 11:00 \(Paris\)/,
    );
  });

  it('a third is counted, and the dead are a sentence of their own', () => {
    const throttled = { reason: 'throttled', opensAt: now + minuteMs } as const;
    const account = heldView(5, throttled, { paused, windows: parisOffice });
    expect(explain({ ...account, counts: { ...account.counts, dead: 2 } }, now)).toMatch(
      / And 1 more below\. 2 jobs failed for good\.$/,
    );
  });

  it('a gate whose group has no jobs waiting holds nothing', () => {
    const account = heldView(0, { reason: 'rate_limit', opensAt: now + 1000, limits: perMinute });
    expect(explain(account, now)).toBe('Nothing is waiting, and nothing has run yet.');
  });

  it('speaks of local time across a change to summer time', () => {
    const saturday = Date.parse('2027-03-27T20:00:00Z');
    const windows = [{ zone: 'Europe/Paris', days: [7], from: '09:00', to: '12:00' }];
    const sentence = explain(heldView(1, { reason: 'window' }, { windows }), saturday);
    expect(sentence).toContain('begin at Sunday 09:00 (Paris)');
  });
});
