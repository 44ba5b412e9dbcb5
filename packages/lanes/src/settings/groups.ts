import { checkLimits, type GroupLimits, type Limits } from './limits.js';

function encode(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

function fields(limits: Limits | undefined): string[] {
  const { intervalMs, depthMs, maxInFlight } = limits ? checkLimits(limits) : {};
  return [encode(intervalMs), encode(depthMs), encode(maxInFlight)];
}

/** Arguments of the command `set-group`. */
export function groupArguments(group: string, limits: GroupLimits): string[] {
  return [group, ...fields(limits.default), ...fields(limits.total)];
}
