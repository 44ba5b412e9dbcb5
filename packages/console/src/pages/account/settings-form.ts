import type { Account, Window } from '../../api/types.js';
import { formatCount } from '../../format/numbers.js';

export const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** As typed. No hours: jobs may start at any time. */
export interface SettingsForm {
  weight: string;
  windows: Window[];
}

type Settings = Pick<Account, 'weight' | 'windows'>;
export type SettingsInput = Partial<Settings>;

export function settingsFormOf({ weight, windows }: Settings): SettingsForm {
  return { weight: String(weight), windows: windows ?? [] };
}

/**
 * What is to be sent: only what differs, so that a change somebody else makes meanwhile to the rest stays. Else what is
 * wrong, in words; the server has the last word.
 */
export function settingsFrom(form: SettingsForm, before: Settings): SettingsInput | string {
  const weight = Number(form.weight.trim());
  if (!/^\d+(\.\d+)?$/.test(form.weight.trim()) || weight <= 0) return 'The share is a number above 0.';
  const windows = form.windows.map(trimmed);
  const wrong = windows.map(wrongWith).find((text) => text !== undefined);
  if (wrong !== undefined) return wrong;
  const wanted = windows.length === 0 ? null : windows;
  const input: SettingsInput = {
    ...(weight === before.weight ? {} : { weight }),
    ...(JSON.stringify(wanted) === JSON.stringify(before.windows?.map(trimmed) ?? null)
      ? {}
      : { windows: wanted }),
  };
  return Object.keys(input).length === 0 ? 'Nothing is changed.' : input;
}

const timeOfDay = /^([01]\d|2[0-3]):[0-5]\d$/;

function wrongWith({ zone, days, from, to }: Window): string | undefined {
  if (days.length === 0) return 'Hours need at least one day.';
  if (!timeOfDay.test(from) || !(timeOfDay.test(to) || to === '24:00')) {
    return 'A time of day is written as 09:00; the end of a day is 24:00.';
  }
  if (from === to) return 'Hours that end when they begin are never open.';
  return zone === '' ? 'Hours need a time zone, such as Europe/Paris.' : undefined;
}

function trimmed({ zone, days, from, to }: Window): Window {
  return {
    zone: zone.trim(),
    days: days.toSorted((one, other) => one - other),
    from: from.trim(),
    to: to.trim(),
  };
}

/** `share 2; Mon Tue 09:00-17:00 (Europe/Paris)` */
export function describeSettings({ weight, windows }: Settings): string {
  return `share ${formatCount(weight)}; ${describeWindows(windows)}`;
}

export function describeWindows(windows: Window[] | null): string {
  return windows === null ? 'at any time' : windows.map(describeWindow).join('; ');
}

function describeWindow({ zone, days, from, to }: Window): string {
  const until = to < from ? `${to} the next day` : to;
  return `${days.map((day) => dayNames[day - 1]).join(' ')} ${from}-${until} (${zone})`;
}
