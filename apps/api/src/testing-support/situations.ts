import type { GateView } from '@fairlane/lanes';
import type { AccountView } from '@fairlane/queue';

/** Wednesday, 14:00 UTC, 15:00 in Paris. */
export const now = Date.parse('2026-12-02T14:00:00Z');
export const minuteMs = 60_000;

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
export function heldView(
  held: number,
  gate: Partial<GateView>,
  changes: Partial<AccountView> = {},
): AccountView {
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

export const perMinute = { intervalMs: 1_000, burst: 60, maxInFlight: null };
export const parisOffice = [{ zone: 'Europe/Paris', days: [1, 2, 3, 4, 5], from: '09:00', to: '12:00' }];
export const paused = { by: 'ops-anna', at: Date.parse('2026-12-02T12:02:00Z') };

/** Each situation of an account with one cause, and what is said of it; the table of docs/why-is-it-stuck.md. */
export const situations: readonly (readonly [situation: string, account: AccountView, sentence: string])[] = [
  [
    'over its rate',
    heldView(
      1240,
      { reason: 'rate_limit', opensAt: now + 20_000, limits: perMinute },
      { estimatedDrainAt: now + 25 * minuteMs },
    ),
    '1,240 jobs wait because this account may start 60 a minute; the next goes at 14:00:20 (UTC), the last about 14:25 (UTC).',
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
    'Nothing starts until the hours of this account begin on Thursday at 09:00 (Paris); 512 jobs wait.',
  ],
  [
    'paused',
    heldView(1, { reason: 'paused' }, { paused }),
    'Nothing starts because ops-anna paused this account at 12:02 (UTC); 1 job waits until someone resumes it.',
  ],
  [
    'throttled by the outside',
    heldView(12, { reason: 'throttled', opensAt: now + 10 * minuteMs }),
    'The provider behind email asked us to slow down; 12 jobs wait and can start again at 14:10 (UTC).',
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
];
