import type { GateView } from '@fairlane/lanes';
import type { AccountView, QueueSurroundings, Surroundings } from '@fairlane/queue';

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

/** What surrounds the jobs of an account: workers with free slots unless changed. */
export function around(
  queue: Partial<QueueSurroundings> = {},
  changes: Partial<Surroundings> = {},
): Surroundings {
  const serving = { queue: 'outreach', waiting: 1, isPaused: false, workers: 1, slots: 10, active: 0 };
  return {
    nowMs: now,
    queues: [{ ...serving, servedAtMs: now, ...queue }],
    unhandled: null,
    retrying: { failed: 0, putOff: 0, reason: null },
    deadCodes: new Map(),
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
export const situations: readonly (readonly [
  situation: string,
  account: AccountView,
  surroundings: Surroundings,
  sentence: string,
])[] = [
  [
    'over its rate',
    heldView(
      1240,
      { reason: 'rate_limit', opensAt: now + 20_000, limits: perMinute },
      { estimatedDrainAt: now + 25 * minuteMs },
    ),
    around(),
    '1,240 jobs wait because this account may start 60 a minute; the next goes at 14:00:20 (UTC), the last about 14:25 (UTC).',
  ],
  [
    'over its rate, with one job',
    heldView(
      1,
      { reason: 'rate_limit', opensAt: now + 20_000, limits: perMinute },
      { estimatedDrainAt: now + 20_000 },
    ),
    around(),
    '1 job waits because this account may start 60 a minute; it goes at 14:00:20 (UTC).',
  ],
  [
    'at its cap',
    heldView(340, {
      reason: 'in_flight',
      inFlight: 5,
      limits: { intervalMs: null, burst: null, maxInFlight: 5 },
    }),
    around(),
    '340 jobs wait because all 5 allowed at once are still running.',
  ],
  [
    'outside its window',
    heldView(512, { reason: 'window' }, { windows: parisOffice }),
    around(),
    'Nothing starts until the hours of this account begin on Thursday at 09:00 (Paris); 512 jobs wait.',
  ],
  [
    'paused',
    heldView(1, { reason: 'paused' }, { paused }),
    around(),
    'Nothing starts because ops-anna paused this account at 12:02 (UTC); 1 job waits until someone resumes it.',
  ],
  [
    'paused, with nothing to do',
    view({ paused, lastCompletedAt: now - 122 * minuteMs }, { completed: 9 }),
    around({}, { queues: [] }),
    'Nothing starts because ops-anna paused this account at 12:02 (UTC), until someone resumes it. Nothing is waiting; the last job succeeded at 11:58 (UTC).',
  ],
  [
    'paused, with jobs due later',
    view({ paused, nextRunAt: now + 6 * minuteMs }, { scheduled: 3 }),
    around({}, { queues: [] }),
    'Nothing starts because ops-anna paused this account at 12:02 (UTC), until someone resumes it. Nothing is due: 3 jobs are scheduled, the first at 14:06 (UTC).',
  ],
  [
    'outside its window, with nothing to do',
    view({ windows: parisOffice }),
    around({}, { queues: [] }),
    'Nothing starts until the hours of this account begin on Thursday at 09:00 (Paris). Nothing is waiting, and no job has succeeded yet.',
  ],
  [
    'throttled by the outside',
    heldView(12, { reason: 'throttled', opensAt: now + 10 * minuteMs }),
    around(),
    'The provider behind email asked us to slow down; 12 jobs wait and can start again at 14:10 (UTC).',
  ],
  [
    'group total reached',
    heldView(7, { reason: 'group_total', opensAt: now + 4 * minuteMs }),
    around(),
    'This account is within its limits, but all accounts together reached the email total; its next turn comes at 14:04 (UTC), and 7 jobs wait.',
  ],
  [
    'no workers',
    view({}, { ready: 18 }),
    around({ waiting: 18, workers: 0, slots: 0, servedAtMs: now - 19 * minuteMs }),
    'Nothing can start because no worker has served "outreach" since 13:41 (UTC); 18 jobs wait: tell the on-call.',
  ],
  [
    'no worker ever',
    view({}, { ready: 1 }),
    around({ workers: 0, slots: 0, servedAtMs: null }),
    'Nothing can start because no worker serves "outreach"; 1 job waits: tell the on-call.',
  ],
  [
    'workers busy with others',
    view({}, { ready: 18 }),
    around({ waiting: 18, active: 10 }),
    'No limit applies: 18 jobs wait for a turn while all 10 slots serve other accounts.',
  ],
  [
    'workers busy, with its own jobs too',
    view({}, { ready: 18, active: 3 }),
    around({ waiting: 18, active: 10 }),
    'No limit applies: 18 jobs wait for a turn while all 10 slots are busy.',
  ],
  [
    'workers busy, and attempts were put off',
    view({}, { ready: 18, active: 3, retrying: 12 }),
    around(
      { waiting: 18, active: 10 },
      { retrying: { failed: 0, putOff: 12, reason: 'The ledger of effects cannot be reached.' } },
    ),
    'No limit applies: 18 jobs wait for a turn while all 10 slots are busy. 12 more were put off and will be tried again. Reason given: The ledger of effects cannot be reached.',
  ],
  [
    'workers busy, and attempts failed',
    view({}, { ready: 18, active: 3, retrying: 12 }),
    around({ waiting: 18, active: 10 }, { retrying: { failed: 12, putOff: 0, reason: null } }),
    'No limit applies: 18 jobs wait for a turn while all 10 slots are busy. 12 more failed and will be tried again.',
  ],
  [
    'about to start',
    view({}, { ready: 18 }),
    around({ waiting: 18 }),
    'No limit applies: 18 jobs wait for the next free slot.',
  ],
  [
    'queue paused',
    view({}, { ready: 512 }),
    around({ waiting: 512, isPaused: true }),
    'The queue "outreach" is paused for every account; 512 jobs wait there until someone resumes it.',
  ],
  [
    'no handler',
    view({}, { held: 3 }),
    around({}, { queues: [], unhandled: { waiting: 3, name: 'message.send', version: 2, able: 0 } }),
    '3 jobs wait because no running worker can handle message.send version 2; a deployment is needed.',
  ],
  [
    'handled by some workers only',
    view({}, { held: 3 }),
    around({}, { queues: [], unhandled: { waiting: 3, name: 'message.send', version: 2, able: 1 } }),
    '3 jobs wait for one of the workers that can handle message.send version 2.',
  ],
  [
    'backing off',
    view({ nextRunAt: now + 6 * minuteMs }, { retrying: 12 }),
    around({}, { retrying: { failed: 12, putOff: 0, reason: null } }),
    'Nothing is due: 12 jobs failed and will be tried again, the first at 14:06 (UTC).',
  ],
  [
    'put off without an attempt',
    view({ nextRunAt: now + 6 * minuteMs }, { retrying: 12 }),
    around({}, { retrying: { failed: 0, putOff: 12, reason: 'The ledger of effects cannot be reached.' } }),
    'Nothing is due: 12 jobs were put off and will be tried again, the first at 14:06 (UTC). Reason given: The ledger of effects cannot be reached.',
  ],
  [
    'backing off, or put off',
    view({ nextRunAt: now + 6 * minuteMs }, { retrying: 12 }),
    around({}, { retrying: { failed: 3, putOff: 9, reason: 'The ledger of effects cannot be reached.' } }),
    'Nothing is due: 12 jobs failed or were put off, and will be tried again, the first at 14:06 (UTC).',
  ],
  [
    'scheduled',
    view({ nextRunAt: now + 6 * minuteMs }, { scheduled: 1 }),
    around(),
    'Nothing is due: 1 job is scheduled at 14:06 (UTC).',
  ],
  ['running', view({}, { active: 1 }), around(), '1 job is running and nothing waits.'],
  [
    'nothing queued',
    view({ lastCompletedAt: now - 122 * minuteMs }, { completed: 9 }),
    around(),
    'Nothing is waiting; the last job succeeded at 11:58 (UTC).',
  ],
  [
    'all dead',
    view({}, { dead: 37 }),
    around(
      {},
      {
        deadCodes: new Map([
          ['unauthorized', 31],
          ['timeout', 6],
        ]),
      },
    ),
    'Nothing is waiting: 37 jobs failed for good, mostly access revoked (31).',
  ],
  [
    'unknown outcome',
    view({}, { dead: 2 }),
    around({}, { deadCodes: new Map([['unknown_outcome', 2]]) }),
    '2 jobs may have been carried out; they are not repeated until a person decides.',
  ],
  ['never used', view(), around(), 'Nothing is waiting, and no job has succeeded yet.'],
];
