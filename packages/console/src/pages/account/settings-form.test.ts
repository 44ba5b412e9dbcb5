import { expect, test } from 'vitest';
import { describeSettings, settingsFormOf, settingsFrom } from './settings-form.js';

const office = { zone: 'Europe/Paris', days: [1, 5], from: '09:00', to: '17:00' };
const before = { weight: 1, windows: [office] };
const form = settingsFormOf(before);

test('only what differs is sent', () => {
  expect(settingsFrom({ ...form, weight: '2' }, before)).toEqual({ weight: 2 });
  expect(settingsFrom({ ...form, windows: [] }, before)).toEqual({ windows: null });
  const later = { ...office, days: [5, 1], from: ' 10:00' };
  expect(settingsFrom({ ...form, windows: [later] }, before)).toEqual({
    windows: [{ ...office, from: '10:00' }],
  });
  expect(settingsFrom(form, before)).toBe('Nothing is changed.');
});

test.each([
  ['a share of nothing', { ...form, weight: '0' }, /above 0/],
  ['a share that is no number', { ...form, weight: '1e3' }, /above 0/],
  ['no day', { ...form, windows: [{ ...office, days: [] }] }, /one day/],
  ['no time of day', { ...form, windows: [{ ...office, from: '25:99' }] }, /09:00/],
  ['a day that begins at its end', { ...form, windows: [{ ...office, from: '24:00' }] }, /09:00/],
  ['no length', { ...form, windows: [{ ...office, to: '09:00' }] }, /never open/],
  ['no zone', { ...form, windows: [{ ...office, zone: ' ' }] }, /time zone/],
])('A19: %s is said before anything is sent', (_case, wrong, words) => {
  expect(settingsFrom(wrong, before)).toMatch(words);
});

test('hours over midnight say that they end the next day', () => {
  expect(describeSettings({ weight: 2, windows: [{ ...office, from: '22:00', to: '02:00' }] })).toBe(
    'share 2; Mon Fri 22:00-02:00 the next day (Europe/Paris)',
  );
  expect(describeSettings({ weight: 1, windows: null })).toBe('share 1; at any time');
});
