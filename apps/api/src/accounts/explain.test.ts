import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
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
  it.each(situations)('%s', (_situation, account, sentence) => {
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
      'Nothing starts until the hours of this account begin on Thursday at 09:00 (Paris); 5 jobs wait. ' +
        'Before that, the provider behind email still holds it until 15:30 (Paris).',
    );
    const longer = { reason: 'throttled', opensAt: Date.parse('2026-12-03T10:00:00Z') } as const;
    expect(explain(heldView(5, longer, { windows: parisOffice }), now)).toMatch(
      /^The provider behind email asked us to slow down; 5 jobs wait and can start again on Thursday at 11:00 \(Paris\)/,
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
    expect(sentence).toContain('begin on Sunday at 09:00 (Paris)');
  });
});

describe('docs/why-is-it-stuck.md', () => {
  const page = readFileSync(new URL('../../../../docs/why-is-it-stuck.md', import.meta.url), 'utf8');

  it('shows the sentence of every situation, and no other', () => {
    const rows = page.split('\n').filter((line) => /^\| [a-z]/.test(line) && !line.startsWith('| situation'));
    expect(rows).toEqual(situations.map(([situation, , sentence]) => `| ${situation} | ${sentence} |`));
  });
});
