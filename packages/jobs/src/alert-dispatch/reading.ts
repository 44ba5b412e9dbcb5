import type { Payload } from '@fairlane/sdk';
import type { alertDispatch } from './contract.js';

export type Reading = Payload<typeof alertDispatch>;

/** One line that tells a reading to a person; the same for the same reading. */
export function describeReading({ host, mount, percent, at }: Reading): string {
  const used = Math.round(percent * 10) / 10;
  return `${mount} on ${host} is ${used} % full (measured ${new Date(at).toISOString()}).`;
}
