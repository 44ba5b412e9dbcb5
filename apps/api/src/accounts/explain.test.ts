import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  around,
  heldView,
  minuteMs,
  now,
  parisOffice,
  paused,
  perMinute,
  situations,
} from '../testing-support/situations.js';
import { explain } from './explain.js';

describe('explain, one cause', () => {
  it.each(situations)('%s', (_situation, account, surroundings, sentence) => {
    expect(explain(account, surroundings)).toBe(sentence);
  });
});

describe('explain, two causes', () => {
  it('what needs a person leads, and what holds after it is named', () => {
    expect(explain(heldView(5, { reason: 'paused' }, { paused, windows: parisOffice }), around())).toBe(
      'Nothing starts because ops-anna paused this account at 13:02 (Paris); 5 jobs wait until someone resumes it. ' +
        'Once resumed, the hours of the account still hold it until Thursday 09:00 (Paris).',
    );
  });

  it('else what opens last leads', () => {
    const throttled = { reason: 'throttled', opensAt: Date.parse('2026-12-02T14:30:00Z') } as const;
    expect(explain(heldView(5, throttled, { windows: parisOffice }), around())).toBe(
      'Nothing starts until the hours of this account begin on Thursday at 09:00 (Paris); 5 jobs wait. ' +
        'Before that, the provider behind email still holds it until 15:30 (Paris).',
    );
    const longer = { reason: 'throttled', opensAt: Date.parse('2026-12-03T10:00:00Z') } as const;
    expect(explain(heldView(5, longer, { windows: parisOffice }), around())).toMatch(
      /^The provider behind email asked us to slow down; 5 jobs wait and can start again on Thursday at 11:00 \(Paris\)/,
    );
  });

  it('of those that need a person the one leads that can end most: account, queue, workers, deployment', () => {
    const unhandled = { waiting: 2, name: 'message.send', version: 2, able: 0 };
    const everything = around({ waiting: 5, isPaused: true, workers: 0, slots: 0 }, { unhandled });
    expect(explain(heldView(5, { reason: 'paused' }, { paused }), everything)).toBe(
      'Nothing starts because ops-anna paused this account at 12:02 (UTC); 5 jobs wait until someone resumes it. ' +
        'Once resumed, the pause of the queue "outreach" still holds it. And 2 more below.',
    );
    expect(explain(heldView(5, {}), everything)).toBe(
      'The queue "outreach" is paused for every account; 5 jobs wait there until someone resumes it. ' +
        'Once resumed, "outreach" still has no worker. And 1 more below.',
    );
    expect(
      explain(
        heldView(5, { reason: 'rate_limit', opensAt: now + 1000, limits: perMinute }),
        around({ workers: 0, servedAtMs: null, waiting: 5 }),
      ),
    ).toBe(
      'Nothing can start because no worker serves "outreach"; 5 jobs wait: tell the on-call. ' +
        'Even then, the limit of 60 a minute still holds it until 14:00:01 (UTC).',
    );
  });

  it('of many dead jobs only the latest are looked at, and it is said', () => {
    const account = heldView(0, {});
    const deadCodes = new Map([
      ['unauthorized', 98],
      ['unknown_outcome', 2],
    ]);
    expect(
      explain({ ...account, counts: { ...account.counts, dead: 4_000 } }, around({}, { deadCodes })),
    ).toBe(
      'At least 2 jobs may have been carried out; they are not repeated until a person decides.\n' +
        '3,998 jobs failed for good, the latest mostly access revoked.',
    );
  });

  it('of many jobs to be tried again only some are looked at: the others may have been put off', () => {
    const account = heldView(0, {}, { gates: [], lanes: [] });
    const says = (retrying: number, putOff: number, failed: number) =>
      explain(
        { ...account, counts: { ...account.counts, retrying } },
        around({}, { queues: [], retrying: { failed, putOff, reason: 'It is away.' } }),
      );
    const either = 'Nothing is due: 500 jobs failed or were put off, and will be tried again.';
    expect(says(500, 0, 100)).toBe(either);
    expect(says(500, 100, 0)).toBe(either);
    expect(says(1, 1, 0)).toBe(
      'Nothing is due: 1 job was put off and will be tried again. Reason given: It is away.',
    );
  });

  it('a third is counted, and the dead are a sentence of their own', () => {
    const throttled = { reason: 'throttled', opensAt: now + minuteMs } as const;
    const account = heldView(5, throttled, { paused, windows: parisOffice });
    const deadCodes = new Map([
      ['rejected', 2],
      ['unknown_outcome', 1],
    ]);
    const dead = { ...account, counts: { ...account.counts, dead: 3 } };
    expect(explain(dead, around({}, { deadCodes }))).toMatch(
      / And 1 more below\.\n1 job may have been carried out; it is not repeated until a person decides\. 2 jobs failed for good, refused by the other side\.$/,
    );
  });

  it('a gate whose group has no jobs waiting holds nothing', () => {
    const account = heldView(0, { reason: 'rate_limit', opensAt: now + 1000, limits: perMinute });
    expect(explain(account, around())).toBe('Nothing is waiting, and no job has succeeded yet.');
  });

  it('a pause that keeps nothing says so, then what runs, and what has failed for good', () => {
    const withoutJobs = heldView(0, {}, { paused, gates: [], lanes: [] });
    const says = (counts: Partial<typeof withoutJobs.counts>, deadCodes = new Map<string, number>()) =>
      explain(
        { ...withoutJobs, counts: { ...withoutJobs.counts, ...counts } },
        around({}, { queues: [], deadCodes }),
      );
    const pause =
      'Nothing starts because ops-anna paused this account at 12:02 (UTC), until someone resumes it.';
    expect(says({ active: 2 })).toBe(`${pause} 2 jobs are running and nothing waits.`);
    expect(says({ dead: 1 }, new Map([['rejected', 1]]))).toBe(
      `${pause} Nothing is waiting.\n1 job failed for good, refused by the other side.`,
    );
    const resumedAtNight = explain({ ...withoutJobs, windows: parisOffice }, around({}, { queues: [] }));
    expect(resumedAtNight).toMatch(
      / until someone resumes it\. Once resumed, the hours .* until Thursday 09:00 \(Paris\)\. Nothing is waiting, and no job has succeeded yet\.$/,
    );
  });

  it('speaks of local time across a change to summer time', () => {
    const saturday = Date.parse('2027-03-27T20:00:00Z');
    const windows = [{ zone: 'Europe/Paris', days: [7], from: '09:00', to: '12:00' }];
    const sentence = explain(heldView(1, { reason: 'window' }, { windows }), around({}, { nowMs: saturday }));
    expect(sentence).toContain('begin on Sunday at 09:00 (Paris)');
  });
});

describe('docs/why-is-it-stuck.md', () => {
  const page = readFileSync(new URL('../../../../docs/why-is-it-stuck.md', import.meta.url), 'utf8');

  it('shows the sentence of every situation, and no other', () => {
    const rows = page.split('\n').filter((line) => /^\| [a-z]/.test(line) && !line.startsWith('| situation'));
    expect(rows).toEqual(situations.map(([situation, , , sentence]) => `| ${situation} | ${sentence} |`));
  });
});
