import { ChoiceFilter } from './text-filter.js';

const choices = [
  ['15m', 'last 15 minutes'],
  ['1h', 'last hour'],
  ['6h', 'last 6 hours'],
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
] as const;

const unitsMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

interface SinceFilterProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

export function SinceFilter({ label, value, onChange }: SinceFilterProps) {
  const isOther = value !== undefined && !choices.some(([choice]) => choice === value);
  return (
    <ChoiceFilter
      label={label}
      value={value}
      onChange={onChange}
      choices={isOther ? [...choices, [value, `since ${value}`] as const] : choices}
    />
  );
}

/**
 * The moment a filter means: a length of time back from now, or a moment itself. In steps of a minute, since
 * another moment is another list.
 */
export function sinceMoment(value: string | undefined, nowMs = Date.now()): string | undefined {
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(value ?? '') ?? [];
  if (count === undefined || unit === undefined) {
    return value === undefined || Number.isNaN(Date.parse(value)) ? undefined : new Date(value).toISOString();
  }
  const minute = Math.floor(nowMs / 60_000) * 60_000;
  return new Date(minute - Number(count) * (unitsMs[unit] ?? 0)).toISOString();
}
