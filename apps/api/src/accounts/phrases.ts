import type { GateView } from '@fairlane/lanes';
import { presentLimits } from './present-limits.js';

const unitNames: Readonly<Record<number, string>> = {
  1_000: 'a second',
  60_000: 'a minute',
  3_600_000: 'an hour',
  86_400_000: 'a day',
};

/** `60 a minute` */
export function rateOf(gate: GateView): string {
  const { limit, perMs } = presentLimits(gate.limits);
  if (limit === null || perMs === null) return 'no more';
  return `${grouped(limit)} ${unitNames[perMs] ?? `every ${grouped(perMs / 1000)} seconds`}`;
}

/** `1 job`, `1,240 jobs` */
export function jobs(count: number): string {
  return count === 1 ? '1 job' : `${grouped(count)} jobs`;
}

/** `1 job waits`, `1,240 jobs wait` */
export function wait(count: number): string {
  return `${jobs(count)} ${count === 1 ? 'waits' : 'wait'}`;
}

function grouped(value: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: 3 });
}

/** What a dead code says to people who do not know the system. */
const deadCauses: Readonly<Record<string, string>> = {
  attempts_exhausted: 'all attempts used up',
  invalid_payload: 'unusable data',
  rejected: 'refused by the other side',
  unauthorized: 'access revoked',
  target_gone: 'recipient gone',
  throttled: 'slowed down for too long',
  timeout: 'took too long',
  crashed: 'workers lost',
  unreadable: 'unreadable data',
};

/** The cause of more than half of what died, as `, mostly access revoked (31)`; else nothing. */
export function mainCause(codes: ReadonlyMap<string, number>, isWhole: boolean): string {
  let total = 0;
  let most: readonly [code: string, count: number] | undefined;
  for (const entry of codes) {
    if (entry[0] === 'unknown_outcome') continue;
    total += entry[1];
    if (most === undefined || entry[1] > most[1]) most = entry;
  }
  const cause = most && deadCauses[most[0]];
  if (most === undefined || cause === undefined || most[1] * 2 <= total) return '';
  if (!isWhole) return `, the latest mostly ${cause}`;
  return most[1] === total ? `, ${cause}` : `, mostly ${cause} (${grouped(most[1])})`;
}
